from __future__ import annotations
import os, time, traceback
import pytest, requests
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import GenerationMode
from tests.api import described
from tests.api.described import *
from tests.servers import asgi_server
from tests.cover import charlies_key, handbook, key, plugin, published
pytestmark = pytest.mark.django_db(transaction=True)
N=int(os.environ.get("N","10")); ONLY=os.environ.get("ONLY","")
def test_x(published, alice):
    k, secret = ApiKey.objects.issue(owner=alice, name="agent", capabilities=["query","read","author"], per_minute=1_000_000, per_day=1_000_000)
    found = rows(published, owner=alice)
    bad={}
    with asgi_server() as url:
        s=requests.Session()
        h={"Authorization":f"Bearer {secret}"}
        r=s.post(url+"/api/v1/query",json={"plugin":"cover","query":"What is the minimum cover for a beam exposed to weather?"},headers=h); assert r.status_code==200,r.text
        found["query"]=r.json()["queryId"]
        schema=loaded(with_rows(found))
        for op in operations(schema):
            if ONLY and ONLY not in op.label: continue
            t=time.time()
            for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
                codes={}
                @seed(1)
                @settings(max_examples=N, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck), report_multiple_bugs=True)
                @given(case=op.as_strategy(generation_mode=mode))
                def run(case):
                    try:
                        r=case.call_and_validate(base_url=url, headers=h, session=s)
                        codes[r.status_code]=codes.get(r.status_code,0)+1
                    except BaseException as e:
                        key=[str(type(x).__name__)+": "+str(x)[:300] for x in getattr(e,"exceptions",[e])]
                        bad.setdefault((op.label,mode.name),{})["; ".join(key)[:200]]=str(e)[:1800]
                try: run()
                except BaseException as e:
                    bad.setdefault((op.label,mode.name),{})["GEN "+repr(e)[:300]]=""
                print(op.label, mode.name, codes, round(time.time()-t,1), flush=True)
    print("=======")
    for k_,v in bad.items():
        print("##",k_)
        for a,b in list(v.items())[:3]: print("   --",a,"\n",b,"\n")
