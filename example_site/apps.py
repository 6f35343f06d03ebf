from django.apps import AppConfig


class ExampleSiteConfig(AppConfig):
    name = "example_site"
    verbose_name = "Hollow Mill"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from example_site.house_words import HouseWords
        from nlweb_ask.plugins import processors

        processors.register(HouseWords)  # it exists; NLWEB_ASK says that it runs
