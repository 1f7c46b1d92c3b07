from __future__ import annotations

from django.urls import path

from api.trees.cases import CasesView, CaseView, RunView
from api.trees.listing import OrderView, TreesView
from api.trees.one import TreeView
from api.trees.walking import BareProblemsView, ProblemsView, WalkView

_ALL = "api/plugins/<slug:plugin>/trees"
_ONE = f"{_ALL}/<uuid:tree>"

urlpatterns = [
    path("api/trees/problems", BareProblemsView.as_view(), name="bare_tree_problems"),
    path(_ALL, TreesView.as_view(), name="trees"),
    path(f"{_ALL}/order", OrderView.as_view(), name="trees_order"),
    path(_ONE, TreeView.as_view(), name="tree"),
    path(f"{_ONE}/problems", ProblemsView.as_view(), name="tree_problems"),
    path(f"{_ONE}/walk", WalkView.as_view(), name="tree_walk"),
    path(f"{_ONE}/cases", CasesView.as_view(), name="tree_cases"),
    path(f"{_ONE}/cases/run", RunView.as_view(), name="tree_cases_run"),
    path(f"{_ONE}/cases/<uuid:case>", CaseView.as_view(), name="tree_case"),
]
