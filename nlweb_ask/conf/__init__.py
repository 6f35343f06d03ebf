"""The settings in force: the admin's row over `settings.NLWEB_ASK` over the defaults.

What a deployer decides stands in settings.py and is read once; what an owner decides
stands in the database and is read on every question, so that switching off, locking out
and granting hold from the next question on in every worker.
"""

from nlweb_ask.conf.deployment import deployment
from nlweb_ask.conf.keys import OWNER_FIELDS, PLUGIN_LISTS, Deployment
from nlweb_ask.conf.problems import Problem, problems
from nlweb_ask.conf.profiles import (
    IMPLICIT_PROFILE,
    ProfileConf,
    RetrieverChoice,
    granted_profiles,
    may_ask,
    profile_named,
)
from nlweb_ask.conf.site import (
    SiteConf,
    base_url,
    chosen_embedder,
    deployed_row,
    is_switched_on,
    overruled_keys,
    site_conf,
)

__all__ = [
    "IMPLICIT_PROFILE",
    "OWNER_FIELDS",
    "PLUGIN_LISTS",
    "Deployment",
    "Problem",
    "ProfileConf",
    "RetrieverChoice",
    "SiteConf",
    "base_url",
    "chosen_embedder",
    "deployed_row",
    "deployment",
    "granted_profiles",
    "is_switched_on",
    "may_ask",
    "overruled_keys",
    "problems",
    "profile_named",
    "site_conf",
]
