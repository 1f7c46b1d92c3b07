from __future__ import annotations

from django.urls import path

from api.trees.cases import CaseRunView, CasesView, CaseView
from api.trees.detail import TreeView
from api.trees.dry_run import ProblemsView, UnsavedTreeProblemsView, WalkView
from api.trees.views import OrderView, TreesView

_COLLECTION = "api/plugins/<slug:plugin>/trees"
_ITEM = f"{_COLLECTION}/<uuid:tree>"

urlpatterns = [
    path("api/trees/problems", UnsavedTreeProblemsView.as_view(), name="bare_tree_problems"),
    path(_COLLECTION, TreesView.as_view(), name="trees"),
    path(f"{_COLLECTION}/order", OrderView.as_view(), name="trees_order"),
    path(_ITEM, TreeView.as_view(), name="tree"),
    path(f"{_ITEM}/problems", ProblemsView.as_view(), name="tree_problems"),
    path(f"{_ITEM}/walk", WalkView.as_view(), name="tree_walk"),
    path(f"{_ITEM}/cases", CasesView.as_view(), name="tree_cases"),
    path(f"{_ITEM}/cases/run", CaseRunView.as_view(), name="tree_cases_run"),
    path(f"{_ITEM}/cases/<uuid:case>", CaseView.as_view(), name="tree_case"),
]
