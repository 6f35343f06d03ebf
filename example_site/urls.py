from django.contrib import admin
from django.contrib.auth.views import LogoutView
from django.urls import include, path

from example_site import folders, views

urlpatterns = [
    path("", views.home, name="home"),
    path("recipes/", views.recipes, name="recipes"),
    path("recipes/<slug:slug>/", views.recipe, name="recipe"),
    path("journal/", views.posts, name="posts"),
    path("journal/<slug:slug>/", views.post, name="post"),
    path("handbook/", folders.handbook, name="handbook"),
    path("handbook/<path:page>/", folders.handbook_page, name="handbook_page"),
    path("manual/", folders.manual, name="manual"),
    path("manual/<path:page>/", folders.manual_page, name="manual_page"),
    path("login/", views.Login.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("admin/", admin.site.urls),
    path("", include("nlweb_ask.urls")),
]
