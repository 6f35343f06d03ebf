"""The words that carry no meaning of their own, by language.

Written as people write them; the analyzer compares them casefolded and without accents.
Kept short on purpose: a word that is also a thing ("summer" and "been" in French) stays
out, because a word missing here costs little and a word too many loses pages.
"""
# Whole words of other scripts, not letters mistaken for Latin ones.
# ruff: noqa: RUF001

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_LISTS: Final = {
    "en": """
        a about above after again against all also am an and any are arent as at be
        because been before being below between both but by can cannot cant could
        couldnt did didnt do does doesnt doing dont down during each few for from further
        get gets had hadnt has hasnt have havent having he hence her here heres hers
        herself hes him himself his how hows however i if im in into is isnt it its
        itself ive just let lets like me might more most much must mustnt my myself
        neither no nor not of off on once only onto or other our ours ourselves out over
        own per rather same shall she shes should shouldnt since so some such than that
        thats the their theirs them themselves then there theres these they theyre theyve
        this those though through thus to too under until up upon us very via was wasnt
        we werent were weve what whats when whens where wheres whether which while who
        whom whos whose why whys will with within without wont would wouldnt you your
        youre yours yourself yourselves youve
    """,
    "de": """
        aber alle allem allen aller alles als also am an ander andere anderem anderen
        anderer anderes auch auf aus bei beim bin bis bist da dabei dadurch dafür dagegen
        daher damit dann daran darauf daraus darf darin darüber darum das dass dein deine
        deinem deinen deiner deines dem den denen denn der deren des dessen dich die dies
        diese dieselbe diesem diesen dieser dieses dir doch dort du durch ein eine einem
        einen einer eines einige einigem einigen einiger einiges er es etwa etwas euch
        euer eure eurem euren eurer für gegen gibt hab habe haben hat hatte hatten hattest
        hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer ihres im in indem ins
        ist ja jede jedem jeden jeder jedes jedoch jene jenem jenen jener jenes kann
        kannst können könnte kein keine keinem keinen keiner keines mal man manche
        manchem manchen mancher manches mehr mein meine meinem meinen meiner meines mich
        mir mit muss müssen musste nach nicht nichts noch nun nur ob oder ohne sehr seid
        sein seine seinem seinen seiner seines seit selbst sich sie sind so solche
        solchem solchen solcher solches soll sollte sondern sonst sowie über um und uns
        unser unsere unserem unseren unserer unter viel vom von vor wann war waren warst
        warum was weil welche welchem welchen welcher welches wem wen wenn wer werde
        werden weshalb wie wieder wieso will wir wird wirst wo wobei woher wohin wollen
        wollte womit wurde wurden würde würden zu zum zur zwar zwischen
    """,
    "fr": """
        à afin ai aie ainsi alors après as au aucun aucune aussi autre autres aux avais
        avait avant avec avez avoir avons ayant bien c car ce ceci cela celle celles celui
        ces cet cette ceux chaque chez ci comme comment d dans de depuis des donc dont du
        elle elles en encore entre es est et étaient était être eu eux fait font furent
        fut ici il ils j je jusque l la là laquelle le lequel les lesquelles lesquels leur
        leurs lors lorsque lui m ma mais me même mêmes mes moi moins mon n ne ni non nos
        notre nous on ont ou où par parce pas pendant peu peut peuvent plus pour pourquoi
        puis puisque qu quand que quel quelle quelles quels qui quoi s sa sans se selon
        sera seront ses si soi soit son sont sous suis sur t ta tandis te tel telle telles
        tels tes toi ton tous tout toute toutes très tu un une vers voici voilà vos votre
        vous y
    """,
    "es": """
        a al algo algún alguna algunas alguno algunos ante antes aquel aquella aquellas
        aquellos aquello aquí así aún aunque bajo bien cada como cómo con contra cual
        cuál cuales cuáles cualquier cuando cuándo cuanto cuánto cuantos cuántos de del
        desde donde dónde dos durante e el él ella ellas ello ellos en entre era eran es
        esa esas ese eso esos esta está están estaba estaban estar estas este esto estos
        fue fueron ha había habían haber hace han has hasta hay he la las le les lo los
        más me mi mí mientras mis mucho muchos muy nada ni no nos nosotros nuestra
        nuestras nuestro nuestros o os otra otras otro otros para pero poco por porque
        pues puede pueden que qué quien quién quienes quiénes se sea según ser si sí sido
        sin sobre son soy su sus también tan tanto te tiene tienen toda todas todo todos
        tras tu tú tus un una unas uno unos usted ustedes y ya yo
    """,
    "it": """
        a ad agli ai al alla alle allo anche ancora avere aveva avevano c che chi ci ciò
        come con contro cosa cui d da dagli dai dal dalla dalle dallo degli dei del della
        delle dello dentro di dopo dove durante e è ed era erano essere fra già gli ha
        hanno ho i il in io l la le lei li lo loro lui ma me mentre mi mia mie miei mio
        molto ne negli nei nel nella nelle nello no noi non nostra nostre nostri nostro o
        ogni oltre per perché però più poi prima può qual quale quali quando quanta quante
        quanti quanto quella quelle quelli quello quel questa queste questi questo qui se
        sei senza si sia siamo siete solo sono sopra sotto sta stata stati stato su sua
        sue sugli sui sul sulla sulle sullo suo suoi te ti tra tu tua tue tuo tuoi tutta
        tutte tutti tutto un una uno vi voi vostra vostre vostri vostro
    """,
    "pt": """
        a ao aos aquela aquelas aquele aqueles aquilo as às até cada com como contra da
        das de dela delas dele deles depois desde do dos e é ela elas ele eles em entre
        era eram essa essas esse esses esta está estão estas estava este estes eu foi
        foram há isso isto já lhe lhes lo mais mas me mesmo meu meus mim minha minhas
        muito na não nas nem no nos nós nossa nossas nosso nossos num numa o onde os ou
        para pela pelas pelo pelos pode podem por porque por qual quais quando quanto
        quantos que quê quem se sem ser será seu seus só sob sobre sua suas são também te
        tem têm ter teu teus toda todas todo todos tu tua tuas um uma umas uns você vocês
        vos à
    """,
    "nl": """
        aan af al alle alles als altijd andere ben bij binnen daar daarom dan dat de deze
        die dit doch doen door dus een en er ge geen haar had hadden heb hebben heeft hem
        het hier hij hoe hun ik in is ja je jij jou jouw jullie kan kon kunnen maar me
        meer men met mij mijn moet moeten na naar niet niets nog nu of om omdat onder ons
        onze ook op over te tegen toch toen tot tussen u uit uw van vanaf veel voor waar
        waarom wanneer want waren was wat we wel welk welke werd werden wie wij wil worden
        wordt zal ze zelf zich zij zijn zo zonder zou zouden
    """,
    "sv": """
        alla allt än att av blev bli blir bland både bara då dag de dem den denna deras
        dess dessa det detta dig din dina ditt dock du där därför efter eller en er era
        ett får för från ha hade han hans har hon honom hos hur här i icke in inom inte är
        jag ju kan kunde man med medan mellan men mig min mina mitt mot mycket ni nu när
        nämligen någon något några och också om oss på samma sedan sig sin sina sitt själv
        ska skall skulle som så sådan sådana till under upp ut utan vad var vara varför
        varit varje vars vart vem vi vid vilka vilken vilket vill vår våra vårt åt över
    """,
    "da": """
        af alle alt anden at blev blive bliver da de dem den denne der deres det dette dig
        din dine disse dog du efter eller en end er et for fordi fra få får ham han hans
        har havde have hende hendes her hos hun hvad hvem hver hvilke hvilken hvilket
        hvis hvor hvordan hvorfor hvornår i ikke ind jeg jer jeres jo kan kunne man mange
        med meget men mens mere mig min mine mit mod må ned noget nogle nogen nu når og
        også om op os over på samme sig sin sine sit skal skulle som sådan til ud uden
        under var ved vi vil ville vor være været
    """,
    "no": """
        alle andre at av bare begge ble blei bli blir da de deg dei deim deira deires dem
        den denne der dere deres det dette di din disse ditt du dykk dykkar då eg ein ei
        eit eller en enn er et ett etter for fordi fra før ha hadde han hans har hennar
        henne hennes her hjå ho hoe honom hoss hun hva hvem hver hvilke hvilken hvis hvor
        hvordan hvorfor i ikke ikkje inn ja jeg kan korleis kva kvar kven kvi kvifor kunne
        man mange me med meg meget mellom men mer mi min mine mitt mot må nei no noe noen
        nå når og også om opp oss over på seg selv si sia sin sine sitt sjøl skal skulle
        slik so som somme så til um upp ut uten var ved vere vi vil ville vore vår være
        vært å
    """,
    "fi": """
        ei eikä eivät eli emme en ennen että he heidän heidät heille heillä heiltä hän
        hänen hänet hänelle häneltä ja jo joka jokin jolla jolle jonka jos joskus jossa
        josta jota jotka jotta kai kaikki kanssa keiden ketkä kenen kenelle kenet ketä
        koska kuin kuinka kuka kukin kun kuten kyllä lisäksi me meidän meille meillä mihin
        mikä mikäli miksi milloin millä minkä minne minua minulla minulle minulta minun
        minä missä mistä mitkä mitä miten mukaan mutta muu muut myös ne niiden niille
        niillä niin niissä niitä no noiden nuo nyt näiden nämä näissä näitä olen olet
        oletko oli olimme olisi olivat olla olleet ollut olette on onko ovat saa se sekä
        sen sille sillä siinä siitä sinulla sinun sinä sitten sitä tai te teidän tuo tämä
        tämän tässä tästä tätä tähän vaan vai vaikka voi voiko voivat
    """,
    "ru": """
        а без более бы был была были было быть в вам вами вас ваш ваша ваше ваши вдоль вы
        во вот все всё всего всей всем всех где да для до его ее её ей ему если есть еще
        ещё же за здесь и из или им ими их к как какая какие какими каким каких какого
        какое какой какую когда которая которого которой которому котором которую которые
        которым которых которое который кто ко куда ли либо между меня мне много можно мой
        моя мы на над надо нам нами нас наш наша наше наши не него нее неё нет ни них но о
        об один однако он она они оно от откуда очень перед по под после потому почему при
        про с свое своё своего своей свои своим своих свой свою себе себя сейчас сколько
        со так такая такие также такого такое такой там тебе тебя тем то тобой того тоже
        той только том тот тут ты у уж уже через что чего чей чем чему чтобы эта эти этим
        этих это этого этой этом этому этот эту я является являются
    """,
    "pl": """
        a aby ale albo bardzo bez bo być był była były było będzie będą ci cię co czego
        czemu czy czym dla do dlaczego dlatego gdy gdyż gdzie go i ich im inne inny ile
        ja jak jaka jaką jaki jakie jakich jako je jego jej jemu jest jestem jeszcze jeśli
        jeżeli już każdy kiedy kto która które którego której który którym których którzy
        ku lub ma mają mam mi mną mnie moje mój może można my na nad nam nami nas nasz
        nasza nasze natomiast nich nie niego niej nim nimi niż no o od oraz po pod
        ponieważ poza przed przez przy są się skąd swoje swój ta tak taka taki takie także
        tam te tego tej temu ten to tobą tobie tu tutaj twoje twój ty tych tylko tym u w
        wam was wasz wasze we więc wszystkie wszystko wy z za ze że żeby
    """,
    "cs": """
        a aby ale ani asi až bez bude budou by byl byla byli bylo být ci co což či další
        do ho i jak jaká jaké jaký jako je jeho jej její jejich jen ještě ji jí jich jim
        jiné již jsem jsi jsme jsou jste k kam kde kdo kdy když ke která které kterého
        který kterou kteří ku má máte mě mezi mi mít mne mnou můj může my na nad nám námi
        nás náš naše ne nebo neboť než ní nic nich nim o od on ona oni ono pak po pod podle
        pokud pouze pro proč proto protože před přes při s se si sice své svůj svých svým
        svými ta tak také takže tam té tedy ten tento tím to tohle toho tom tomu tu tuto
        ty tyto u už v vám vámi vás váš vaše ve více však všechen vy z za zda zde že
    """,
    "hu": """
        a abban ahhoz ahogy ahol akár akkor alatt által általában amely amelyek amelyben
        amelyet ami amíg amikor át az azért azok azon azonban azt aztán azután bár be
        benne csak de e ebben egy egyes egyik egyéb el elég ellen előtt én és ez ezek ezen
        ezért ezt fel felé ha hanem hiszen hogy hogyan hol honnan hova ide igen így illetve
        ilyen is ison itt jó kell kellett keresztül ki kik kívül között közül le legyen
        lehet lenne lesz lett ma maga majd már más másik még meg mely melyik mert mi
        miért míg milyen minden mindig mint mit mivel most nagyon ne nekem neki nem nincs
        ő ők olyan ott össze pedig persze rá s saját sem semmi szerint számára ti több
        tovább te úgy után van vagy vagyok valaki valami való vannak vele vissza volt
        voltak volna
    """,
    "ro": """
        a acea aceasta această aceea acei aceia acel acela acele acelea acest acesta aceste
        acestea acestei acestui acești aceștia ai aici al ale am ar are asupra așa au avea
        avem aveți ca că care căreia cărora căruia ce cea cei cel cele celor ceva chiar ci
        cine cînd când cît cât câte câți cu cui cum da dacă dar de deci deja deoarece deși
        din după e ea ei el ele era erau este eu face fi fie fiecare fiind fost îi îl îmi
        în încât înainte între își îți la le lor lui mai mea mei meu mi mult multe mulți ne
        nici nimic niște noi noștri nostru nu o ori pe pentru peste poate prin s sa să săi
        sale sau său se și sînt sub sunt sus ta tale tău te toată toate tot toți tu un una
        unde unei unele uni unii unor unui unul va vă voi voastră vor vostru
    """,
    "tr": """
        acaba ama ancak artık aslında az bana bazı belki ben benden beni benim beri bile
        bir biraz biri birkaç bize bizi bizim bu buna bundan bunlar bunları bunların bunu
        bunun burada çok çünkü da daha de değil diğer diye dolayı eğer en gibi göre hangi
        hatta hem henüz hep hepsi her herhangi hiç hiçbir için içinde ile ise işte kadar
        kendi kendine ki kim kime kimin mı mi mu mü nasıl ne neden nedenle nerede nereye
        niçin niye o olan olarak oldu olduğu olması olmak olur ona ondan onlar onları
        onların onu onun oysa öyle pek sadece sanki sen senden seni senin siz size sizi
        sizin sonra şey şimdi şu tüm ve veya ya yani yerine yine yoksa zaten
    """,
    "el": """
        ένα έναν ένας αι ακόμη αλλά αν από αρα αυτά αυτές αυτή αυτό αυτοί αυτός αυτού αυτών
        για γιατί δε δεν εγώ εδώ εκεί εκείνα εκείνη εκείνο εκείνος εμείς εάν είναι είμαι
        είσαι είχε έχει έχουν εσείς εσύ ή ήταν η θα και κατά κάθε κι κάποιος με μέσα μετά μη
        μην μια μία μόνο μου μπορεί μπορώ να ο οι όμως όπως όπου όσο όταν ότι ό,τι παρά
        ποια ποιο ποιοι ποιος ποιους ποιων πολύ που πού πρέπει προς πριν πώς πως σαν σας σε
        στη στην στις στο στον στου στους στα σου τα τη την της τι τις το τον του τους των
        τόσο ως ώστε
    """,
    "ca": """
        a al als algun alguna alguns amb aquest aquesta aquestes aquests aquell aquella
        això així com d dels de del des on doncs el ella elles ells els em en encara ens
        entre era eren es és esta està estan et fins ha han hi ho i i la les li lo m ma
        mentre mes més meu meva molt molts n ni no nosaltres nostre o on per però perquè
        pels pel poc pot qual quals quan quant que què qui s sa se seu seva seves seus si
        sense ser sobre son són sota també tan tant te tot tota totes tots tu un una unes
        uns va van
    """,
    "id": """
        ada adalah agar akan anda antara apa apakah atau bagaimana bagi bahwa banyak beberapa
        belum bisa dalam dan dapat dari dengan di dia hanya harus hingga ia ini itu jika juga
        kami kapan karena ke kepada kita lain lebih mana masih melalui mengapa mereka namun
        oleh pada para saat saja sangat saya sebagai sebelum secara sedang sejak seperti
        serta setelah siapa suatu sudah supaya tanpa telah tentang tersebut tetapi tidak
        untuk yaitu yang
    """,
    "uk": """
        а або але б без би був була були було бути в вам вас ваш ваша ваше ваші вже ви від
        він вона вони воно все всі всіх де для до же за з зі і із інші його її їй їм їх й
        коли ким кого кому куди ли між мене мені ми мій може можна на над нам нас наш наша
        наше наші не ні них ну о один однак от ось під після по при про саме свій своє свої
        своїх себе собі та так також там те ти тим то тобто того тоді той тому тут у хто це
        цей ці ця цього цьому чи чого чому ще що щоб як яка якби який яких якого якої які
        яку якщо я є
    """,
    "ar": """
        في من إلى على عن مع هذا هذه ذلك تلك هؤلاء الذي التي الذين اللاتي هو هي هم هن نحن
        أنا أنت أنتم كان كانت كانوا يكون تكون أن إن أنه أنها إنه إنها لأن لكن ولكن أو أم ثم
        قد لقد لا لم لن ليس ليست ما ماذا من متى أين كيف كم لماذا هل أي أية كل بعض غير بين
        بعد قبل عند عندما حتى حيث إذا إذ كما مثل منذ خلال حول ضد دون سوى فقط أيضا به بها
        له لها لهم فيه فيها منه منها عليه عليها إليه إليها وهو وهي وقد وكان وكانت ومن وفي
        يتم تم مما عما و ف ب ل
    """,
    "fa": """
        از است اما اگر آن آنها آیا او این با باید بر برای به بود بوده بودند بی پس تا تر
        چرا چگونه چه چند خود در دیگر را روی شد شده شود سپس شما فقط کجا کدام کرد کرده کنند
        کند که کی ما من می نیز نه ها های هر هم همه همین و ولی یا یک
    """,
    "he": """
        אבל או אולי אותה אותו אותם אך אל אלא אלה אלו אם אנחנו אני אף אשר את אתה אתם בין גם
        האם הוא היא היה היו הם הן הנה זאת זה זו יותר יש כאן כאשר כבר כדי כי כל כמה כמו כן
        לא לו לי לכן למה לפני מאוד מאיפה מה מי מן מתי על עם עוד עכשיו עד פה רק של שם איך
        איפה אין אצל
    """,
    "hi": """
        और का की के को से में पर है हैं था थी थे हो होता होती होते ने यह ये वह वे इस उस इन उन
        जो कि तो भी ही या एक कर करने करता करते करना किया गया गई गए क्या क्यों कैसे कब कहाँ
        कौन कितना कितने किस लिए तक साथ बाद अपने अपना अपनी नहीं न हम मैं मेरा आप आपका
    """,
}

STOP_WORDS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {language: tuple(words.split()) for language, words in _LISTS.items()}
)
