from __future__ import annotations

from django.urls import path

from api.trees import views

_TREES = "api/plugins/<slug:plugin>/trees"
_TREE = f"{_TREES}/<uuid:tree>"

urlpatterns = [
    path("api/trees/problems", views.UnsavedTreeProblemsView.as_view(), name="bare_tree_problems"),
    path(_TREES, views.TreesView.as_view(), name="trees"),
    path(f"{_TREES}/order", views.OrderView.as_view(), name="trees_order"),
    path(_TREE, views.TreeView.as_view(), name="tree"),
    path(f"{_TREE}/problems", views.ProblemsView.as_view(), name="tree_problems"),
    path(f"{_TREE}/walk", views.WalkView.as_view(), name="tree_walk"),
    path(f"{_TREE}/cases", views.CasesView.as_view(), name="tree_cases"),
    path(f"{_TREE}/cases/run", views.CaseRunView.as_view(), name="tree_cases_run"),
    path(f"{_TREE}/cases/<uuid:case>", views.CaseView.as_view(), name="tree_case"),
]
