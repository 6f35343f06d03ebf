"""Which schema.org types are kinds of which, as far as pages of sites have them.

From the hierarchy at schema.org. A type that is not here is a kind of itself alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

# Every page is one, whatever its type.
ANYTHING: Final = "thing"

_KINDS: Final[Mapping[str, str]] = {
    "Action": "AssessAction ConsumeAction CreateAction FindAction InteractAction "
    "MoveAction OrganizeAction PlayAction SearchAction SeekToAction TradeAction "
    "TransferAction UpdateAction",
    "Article": "AdvertiserContentArticle NewsArticle Report SatiricalArticle "
    "ScholarlyArticle SocialMediaPosting TechArticle",
    "AutomotiveBusiness": "AutoBodyShop AutoDealer AutoPartsStore AutoRental "
    "AutoRepair AutoWash GasStation MotorcycleDealer MotorcycleRepair",
    "CivicStructure": "Airport Aquarium Beach BoatTerminal Bridge BusStation BusStop "
    "Campground Cemetery Crematorium EducationalOrganization EventVenue FireStation "
    "GovernmentBuilding Hospital MovieTheater Museum MusicVenue Park ParkingFacility "
    "PerformingArtsTheater PlaceOfWorship Playground PoliceStation PublicToilet "
    "RVPark StadiumOrArena SubwayStation TaxiStand TrainStation Zoo",
    "CollectionPage": "MediaGallery",
    "CreativeWork": "ArchiveComponent Article Atlas Blog Book Chapter Claim Clip Code "
    "Collection ComicStory Comment Conversation Course CreativeWorkSeason "
    "CreativeWorkSeries DataCatalog Dataset DefinedTermSet Diet DigitalDocument "
    "Drawing EducationalOccupationalCredential Episode ExercisePlan Game Guide HowTo "
    "HowToDirection HowToSection HowToStep HowToTip LearningResource Legislation "
    "Manuscript Map MathSolver MediaObject Menu MenuSection Message Movie "
    "MusicComposition MusicPlaylist MusicRecording Painting Photograph Play Poster "
    "PublicationIssue PublicationVolume Quotation Review Sculpture Season SheetMusic "
    "ShortStory SoftwareApplication SoftwareSourceCode SpecialAnnouncement Statement "
    "TVSeason TVSeries Thesis VisualArtwork WebContent WebPage WebPageElement WebSite",
    "CreativeWorkSeason": "PodcastSeason RadioSeason TVSeason",
    "CreativeWorkSeries": "BookSeries MovieSeries Periodical PodcastSeries RadioSeries "
    "TVSeries VideoGameSeries",
    "Comment": "Answer CorrectionComment Question",
    "DefinedTermSet": "CategoryCodeSet",
    "DigitalDocument": "NoteDigitalDocument PresentationDigitalDocument "
    "SpreadsheetDigitalDocument TextDigitalDocument",
    "EducationalOrganization": "CollegeOrUniversity ElementarySchool HighSchool "
    "MiddleSchool Preschool School",
    "Episode": "PodcastEpisode RadioEpisode TVEpisode",
    "Event": "BusinessEvent ChildrensEvent ComedyEvent ConferenceEvent CourseInstance "
    "DanceEvent DeliveryEvent EducationEvent EventSeries ExhibitionEvent Festival "
    "FoodEvent Hackathon LiteraryEvent MusicEvent PerformingArtsEvent PublicationEvent "
    "SaleEvent ScreeningEvent SocialEvent SportsEvent TheaterEvent VisualArtsEvent",
    "FinancialProduct": "BankAccount CurrencyConversionService InvestmentOrDeposit "
    "LoanOrCredit PaymentCard PaymentService",
    "FinancialService": "AccountingService AutomatedTeller BankOrCreditUnion "
    "InsuranceAgency",
    "FoodEstablishment": "Bakery BarOrPub Brewery CafeOrCoffeeShop Distillery "
    "FastFoodRestaurant IceCreamShop Restaurant Winery",
    "Game": "VideoGame",
    "GovernmentBuilding": "CityHall Courthouse DefenceEstablishment Embassy "
    "LegislativeBuilding",
    "HealthAndBeautyBusiness": "BeautySalon DaySpa HairSalon HealthClub NailSalon "
    "TattooParlor",
    "HomeAndConstructionBusiness": "Electrician GeneralContractor HVACBusiness "
    "HousePainter Locksmith MovingCompany Plumber RoofingContractor",
    "HowTo": "Recipe",
    "Intangible": "Brand BroadcastChannel DefinedTerm Demand EntryPoint GameServer "
    "Grant Invoice ItemList JobPosting Language MenuItem Occupation Offer Order "
    "OrderItem Permit ProgramMembership Rating Reservation Role Schedule Service "
    "Ticket Trip VirtualLocation",
    "ItemList": "BreadcrumbList HowToSection HowToStep OfferCatalog",
    "LearningResource": "Course Quiz Syllabus",
    "LegalService": "Attorney Notary",
    "LocalBusiness": "AnimalShelter ArchiveOrganization AutomotiveBusiness ChildCare "
    "Dentist DryCleaningOrLaundry EmergencyService EmploymentAgency "
    "EntertainmentBusiness FinancialService FoodEstablishment GovernmentOffice "
    "HealthAndBeautyBusiness HomeAndConstructionBusiness InternetCafe LegalService "
    "Library LodgingBusiness MedicalBusiness ProfessionalService RadioStation "
    "RealEstateAgent RecyclingCenter SelfStorage ShoppingCenter "
    "SportsActivityLocation Store TelevisionStation TouristInformationCenter "
    "TravelAgency",
    "LodgingBusiness": "BedAndBreakfast Campground Hostel Hotel Motel Resort "
    "VacationRental",
    "MediaObject": "3DModel AmpStory AudioObject DataDownload ImageObject "
    "LegislationObject MusicVideoObject TextObject VideoObject",
    "AudioObject": "Audiobook AudioObjectSnapshot",
    "ImageObject": "Barcode ImageObjectSnapshot",
    "VideoObject": "VideoObjectSnapshot",
    "MedicalBusiness": "Dentist Dermatology MedicalClinic Nursing Optician Pediatric "
    "Pharmacy Physician Physiotherapy Psychiatric",
    "MedicalEntity": "AnatomicalStructure DrugClass MedicalCause MedicalCondition "
    "MedicalDevice MedicalGuideline MedicalProcedure MedicalStudy MedicalTest "
    "Substance SuperficialAnatomy",
    "MusicPlaylist": "MusicAlbum MusicRelease",
    "NewsArticle": "AnalysisNewsArticle AskPublicNewsArticle BackgroundNewsArticle "
    "OpinionNewsArticle ReportageNewsArticle ReviewNewsArticle",
    "Offer": "AggregateOffer OfferForLease OfferForPurchase",
    "Organization": "Airline Consortium Cooperative Corporation "
    "EducationalOrganization FundingScheme GovernmentOrganization LibrarySystem "
    "LocalBusiness MedicalOrganization NGO NewsMediaOrganization OnlineBusiness "
    "PerformingGroup PoliticalParty Project ResearchOrganization "
    "SearchRescueOrganization SportsOrganization WorkersUnion",
    "MedicalOrganization": "DiagnosticLab Hospital MedicalClinic Pharmacy Physician "
    "VeterinaryCare",
    "OnlineBusiness": "OnlineStore",
    "PerformingGroup": "DanceGroup MusicGroup TheaterGroup",
    "Periodical": "ComicSeries Newspaper",
    "Person": "Patient",
    "Place": "Accommodation AdministrativeArea CivicStructure Landform "
    "LandmarksOrHistoricalBuildings LocalBusiness Residence "
    "TouristAttraction TouristDestination",
    "Accommodation": "Apartment CampingPitch House Room Suite",
    "AdministrativeArea": "City Country SchoolDistrict State",
    "House": "SingleFamilyResidence",
    "Landform": "BodyOfWater Continent Mountain Volcano",
    "BodyOfWater": "Canal LakeBodyOfWater OceanBodyOfWater Pond Reservoir RiverBodyOfWater "
    "SeaBodyOfWater Waterfall",
    "PlaceOfWorship": "BuddhistTemple Church HinduTemple Mosque Synagogue",
    "Church": "CatholicChurch",
    "Product": "DietarySupplement Drug IndividualProduct ProductCollection "
    "ProductGroup ProductModel SomeProducts Vehicle",
    "Project": "FundingAgency ResearchProject",
    "PublicationIssue": "ComicIssue",
    "Rating": "AggregateRating EndorsementRating",
    "Reservation": "BoatReservation BusReservation EventReservation FlightReservation "
    "FoodEstablishmentReservation LodgingReservation RentalCarReservation "
    "TaxiReservation TrainReservation",
    "Review": "ClaimReview CriticReview EmployerReview MediaReview Recommendation "
    "UserReview",
    "CriticReview": "ReviewNewsArticle",
    "Room": "HotelRoom MeetingRoom",
    "Service": "BroadcastService CableOrSatelliteService FinancialProduct FoodService "
    "GovernmentService Taxi TaxiService WebAPI",
    "SocialMediaPosting": "BlogPosting DiscussionForumPosting",
    "BlogPosting": "LiveBlogPosting",
    "SoftwareApplication": "MobileApplication RuntimePlatform VideoGame WebApplication",
    "SportsActivityLocation": "BowlingAlley ExerciseGym GolfCourse HealthClub "
    "PublicSwimmingPool SkiResort SportsClub StadiumOrArena TennisComplex",
    "SportsOrganization": "SportsTeam",
    "Store": "AutoPartsStore BikeStore BookStore ClothingStore ComputerStore "
    "ConvenienceStore DepartmentStore ElectronicsStore Florist FurnitureStore "
    "GardenStore GroceryStore HardwareStore HobbyShop HomeGoodsStore JewelryStore "
    "LiquorStore MensClothingStore MobilePhoneStore MovieRentalStore MusicStore "
    "OfficeEquipmentStore OutletStore PawnShop PetStore ShoeStore SportingGoodsStore "
    "TireShop ToyStore WholesaleStore",
    "TechArticle": "APIReference",
    "Trip": "BoatTrip BusTrip Flight TouristTrip TrainTrip",
    "Vehicle": "BusOrCoach Car Motorcycle MotorizedBicycle",
    "VisualArtwork": "CoverArt",
    "WebContent": "HealthTopicContent",
    "WebPage": "AboutPage CheckoutPage CollectionPage ContactPage FAQPage ItemPage "
    "MedicalWebPage ProfilePage QAPage RealEstateListing SearchResultsPage",
    "WebPageElement": "SiteNavigationElement Table WPAdBlock WPFooter WPHeader WPSideBar",
}


def _folded(kinds: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    return {
        name.casefold(): tuple(children.casefold().split())
        for name, children in kinds.items()
    }


_CHILDREN: Final = _folded(_KINDS)
_NAMES: Final = frozenset(" ".join([*_KINDS, *_KINDS.values()]).split())


def is_type(name: str) -> bool:
    """Tell whether this is the name of a type, as far as pages of sites have them."""
    return name in _NAMES


def with_subtypes(name: str) -> frozenset[str]:
    """Return a type and all its kinds, in lower case; none for Thing, which all are."""
    folded = name.casefold()
    return frozenset() if folded == ANYTHING else frozenset(_below(folded))


def _below(name: str) -> Iterator[str]:
    yield name
    for child in _CHILDREN.get(name, ()):
        yield from _below(child)
