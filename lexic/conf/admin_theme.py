"""How the builder looks: the colours and menus of the admin's theme, django-unfold."""

from __future__ import annotations

from typing import Any

# The same ramp as static/tokens.css, so that the theme's buttons and ours are one colour.
_TEAL_SCALE = {
    50: "96.2% .015 214",
    100: "93% .026 214",
    200: "87% .045 213",
    300: "85% .07 210",
    400: "78% .085 212",
    500: "58% .088 216",
    600: "45% .08 220",
    700: "38% .07 222",
    800: "33% .055 222",
    900: "27% .032 220",
    950: "22% .025 222",
}
_INK_SCALE = {
    50: "98.2% .0025 220",
    100: "95.8% .004 220",
    200: "91.5% .005 220",
    300: "85% .007 220",
    400: "67% .010 220",
    500: "50% .014 224",
    600: "40% .014 228",
    700: "31% .012 230",
    800: "25% .012 232",
    900: "17.5% .010 232",
    950: "14% .010 232",
}
UNFOLD: dict[str, Any] = {
    "SITE_TITLE": "Lexic builder",
    "SITE_HEADER": "Lexic",
    "SITE_SUBHEADER": "Builder",
    "SITE_URL": "/",
    "SITE_ICON": "builder.admin_theme.site_icon",
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": "builder.admin_theme.site_icon"}],
    "SHOW_VIEW_ON_SITE": False,
    "SHOW_BACK_BUTTON": False,
    "BORDER_RADIUS": "6px",
    "STYLES": [
        "builder.admin_theme.design_tokens_css",
        "builder.admin_theme.components_css",
        "builder.admin_theme.signed_in_css",
        "builder.admin_theme.builder_css",
    ],
    "SCRIPTS": [
        "builder.admin_theme.builder_script",
        "builder.admin_theme.command_box_script",
        "builder.admin_theme.kept_focus_script",
        "builder.admin_theme.unsaved_script",
        "builder.admin_theme.arrival_script",
    ],
    "COLORS": {
        "primary": {str(step): f"oklch({value})" for step, value in _TEAL_SCALE.items()},
        "base": {str(step): f"oklch({value})" for step, value in _INK_SCALE.items()},
    },
    "DASHBOARD_CALLBACK": "builder.dashboard.dashboard",
    "COMMAND": {
        "search_models": ["plugins.plugin", "knowledge.document", "trees.decisiontree"],
        "search_callback": "builder.command_search.search_commands",
    },
    "SIDEBAR": {"show_search": True, "command_search": True, "navigation": "builder.navigation.sidebar"},
    "ACCOUNT": {"navigation": "builder.navigation.account"},
}
