"""What a user of openapi-python-client writes. It has to type-check under `strict`."""

import json
import sys
from io import BytesIO

from lexic_client import AuthenticatedClient
from lexic_client.api.analytics import get_analytics
from lexic_client.api.asking import ask_question
from lexic_client.api.documents import add_documents
from lexic_client.models import Answer, Document, Error, Figures, NewDocumentRequest, QueryRequest, UploadRequest
from lexic_client.types import File

url, key = sys.argv[1:]
question = "What is the minimum cover for a beam exposed to weather?"

with AuthenticatedClient(base_url=url, token=key, timeout=None) as client:
    answer = ask_question.sync(client=client, body=QueryRequest(plugin="cover", query=question))
    assert isinstance(answer, Answer), answer
    excerpts: list[str] = [citation.excerpt for citation in answer.citations]
    refused = ask_question.sync(client=client, body=QueryRequest(plugin="nothing", query=question))
    assert isinstance(refused, Error), refused
    figures = get_analytics.sync("cover", client=client)
    assert isinstance(figures, Figures), figures
    days = [one.day for one in figures.days]
    written = add_documents.sync("cover", client=client, body=NewDocumentRequest(title="Boots", text="# Boots"))
    assert isinstance(written, Document), written
    file = File(payload=BytesIO(b"# Gloves"), file_name="gloves.md", mime_type="text/markdown")
    sent = add_documents.sync("cover", client=client, body=UploadRequest(file=[file]))
    assert isinstance(sent, Document), sent

print(json.dumps({"answer": answer.answer, "excerpts": excerpts, "code": refused.code, "days": len(days)}))
