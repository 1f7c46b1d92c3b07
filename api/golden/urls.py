from __future__ import annotations

from django.urls import path

from api.golden import views

_QUESTIONS = "api/plugins/<slug:plugin>/golden-questions"
_RUNS = "api/plugins/<slug:plugin>/golden-runs"

urlpatterns = [
    path(_QUESTIONS, views.GoldenQuestionsView.as_view(), name="golden_questions"),
    path(f"{_QUESTIONS}/export", views.GoldenExportView.as_view(), name="golden_export"),
    path(f"{_QUESTIONS}/import", views.GoldenImportView.as_view(), name="golden_import"),
    path(f"{_QUESTIONS}/<int:golden>", views.GoldenQuestionView.as_view(), name="golden_question"),
    path(_RUNS, views.GoldenRunsView.as_view(), name="golden_runs"),
    path(f"{_RUNS}/progress", views.GoldenProgressView.as_view(), name="golden_progress"),
    path(f"{_RUNS}/<int:run>", views.GoldenRunView.as_view(), name="golden_run"),
]
