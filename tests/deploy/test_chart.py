"""The Helm chart: what it makes is what Lexic needs, by the names that Lexic has for it."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import Any

import pytest
import yaml
from django.conf import settings
from django.urls import resolve

from lexic.log_redaction import _NAMES_OF_SECRETS
from tests.deploy.chart import CHART, rendered, values
from tests.deploy.procfile import ROOT, known_settings, options, processes

Document = dict[str, Any]
# What the procfile's processes of the same queue do together, the chart's do apart: the timetable, and the rest.
TIMETABLE = {"-B", "-s=var/timetable"}


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    return rendered(values())


def of_kind(documents: list[Document], kind: str) -> dict[str, Document]:
    found = {document["metadata"]["name"]: document for document in documents if document["kind"] == kind}
    assert len(found) == sum(document["kind"] == kind for document in documents), "two have one name"
    return found


def pods(documents: list[Document]) -> dict[str, Document]:
    """The pods of everything that runs, by the name of what they are part of."""
    running = {**of_kind(documents, "Deployment"), **of_kind(documents, "Job")}
    return {name: one["spec"]["template"] for name, one in running.items()}


def container(pod: Document) -> Document:
    [only] = pod["spec"]["containers"]
    return dict(only)


def test_it_runs_what_the_procfile_runs(documents: list[Document]) -> None:
    wanted, found = processes(), {name: container(pod)["command"] for name, pod in pods(documents).items()}
    assert found["demo-migration"] == wanted["release"]
    assert options(found["demo-web"]) - options(wanted["web"]) == {"--timeout-graceful-shutdown=60"}
    assert options(found["demo-reader"]) == options(wanted["reader"]) | {"-c=2"}
    assert options(found["demo-reviewer"]) == options(wanted["reviewer"])
    assert options(found["demo-worker"]) == options(wanted["worker"]) - TIMETABLE
    scheduled = options(wanted["worker"]) - {"-n=worker@%h", "-s=var/timetable"}
    assert options(found["demo-scheduler"]) == scheduled | {"-n=scheduler@%h", "-s=/var/lib/lexic/timetable"}


def test_no_variable_of_a_service_looks_like_a_setting(documents: list[Document]) -> None:
    """Kubernetes would set LEXIC_WEB_PORT in every pod, where the release is called lexic."""
    assert all(pod["spec"]["enableServiceLinks"] is False for pod in pods(documents).values())


def test_every_queue_has_workers_and_the_timetable_is_kept_once(documents: list[Document]) -> None:
    commands = [container(pod)["command"] for pod in pods(documents).values()]
    taken = [command[command.index("-Q") + 1].split(",") for command in commands if "-Q" in command]
    assert {queue for queues in taken for queue in queues} == set(settings.TASK_QUEUES)
    keepers = [name for name, pod in pods(documents).items() if "-B" in container(pod)["command"]]
    assert keepers == ["demo-scheduler"]
    scheduler = of_kind(documents, "Deployment")["demo-scheduler"]["spec"]
    assert (scheduler["replicas"], scheduler["strategy"]) == (1, {"type": "Recreate"})


def test_migrations_know_the_settings_before_the_rest_is_made(documents: list[Document]) -> None:
    maps = of_kind(documents, "ConfigMap")
    before, job = maps["demo-migration-settings"], of_kind(documents, "Job")["demo-migration"]
    assert before["data"] == maps["demo-settings"]["data"]
    hooks = [one["metadata"]["annotations"] for one in (before, job)]
    assert [hook["helm.sh/hook"] for hook in hooks] == ["pre-install,pre-upgrade"] * 2
    assert int(hooks[0]["helm.sh/hook-weight"]) < 0, "it is there when the job starts"
    for name, pod in pods(documents).items():
        sources = [source["configMapRef"]["name"] for source in container(pod)["envFrom"] if "configMapRef" in source]
        assert sources == ["demo-migration-settings" if name == "demo-migration" else "demo-settings"]


def test_every_variable_is_a_setting_and_no_secret(documents: list[Document]) -> None:
    named = set(of_kind(documents, "ConfigMap")["demo-settings"]["data"])
    for pod in pods(documents).values():
        named |= {variable["name"] for variable in container(pod).get("env", ())}
    assert named <= known_settings()
    assert len(named) > 8
    assert not [name for name in named if _NAMES_OF_SECRETS.search(name)]
    comment = re.sub(r"\n# ?", " ", (CHART / "values.yaml").read_text())
    about_secrets = comment[comment.index("A Secret with") : comment.index("secret: lexic")]
    assert set(re.findall(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b", about_secrets)) <= known_settings()


def test_secrets_are_read_from_a_secret_that_is_not_part_of_it(documents: list[Document]) -> None:
    assert not of_kind(documents, "Secret")
    for pod in pods(documents).values():
        sources = [source["secretRef"]["name"] for source in container(pod)["envFrom"] if "secretRef" in source]
        assert sources == ["lexic"]


def test_probes_ask_addresses_that_there_are_by_a_name_that_is_allowed(documents: list[Document]) -> None:
    web = container(pods(documents)["demo-web"])
    allowed = of_kind(documents, "ConfigMap")["demo-settings"]["data"]["ALLOWED_HOSTS"].split(",")
    for kind, path in {"startupProbe": "/healthz", "livenessProbe": "/healthz", "readinessProbe": "/readyz"}.items():
        asked = web[kind]["httpGet"]
        assert (asked["path"], asked["port"]) == (path, web["ports"][0]["name"])
        assert resolve(path).func
        assert [header["value"] in allowed for header in asked["httpHeaders"]] == [True]


def test_nothing_runs_as_root_or_writes_to_its_image(documents: list[Document]) -> None:
    image = (ROOT / "Dockerfile").read_text()
    user, state = re.search(r"^USER (\d+):\d+$", image, re.M), re.search(r"LEXIC_VAR_DIR=(/var\S+)", image)
    assert user
    assert state
    for pod in pods(documents).values():
        shared, own = pod["spec"]["securityContext"], container(pod)["securityContext"]
        assert (shared["runAsNonRoot"], shared["runAsUser"]) == (True, int(user[1]))
        assert own["readOnlyRootFilesystem"] is True
        assert own["allowPrivilegeEscalation"] is False
        assert own["capabilities"] == {"drop": ["ALL"]}
        assert {mount["mountPath"] for mount in container(pod)["volumeMounts"]} == {"/tmp", state[1]}
        assert all("emptyDir" in volume for volume in pod["spec"]["volumes"]), "no disk is shared"
        assert pod["spec"]["automountServiceAccountToken"] is False
        assert container(pod)["resources"]["limits"]["memory"]


def test_what_selects_pods_selects_those_that_there_are(documents: list[Document]) -> None:
    labels = {name: pod["metadata"]["labels"] for name, pod in pods(documents).items()}
    for name, deployment in of_kind(documents, "Deployment").items():
        assert deployment["spec"]["selector"]["matchLabels"] == labels[name]
    for name, budget in of_kind(documents, "PodDisruptionBudget").items():
        assert budget["spec"]["selector"]["matchLabels"] == labels[name]
    assert set(of_kind(documents, "PodDisruptionBudget")) == labels.keys() - {"demo-scheduler", "demo-migration"}
    service = of_kind(documents, "Service")["demo-web"]
    assert service["spec"]["selector"] == labels["demo-web"]
    [rule] = of_kind(documents, "Ingress")["demo"]["spec"]["rules"]
    assert rule["http"]["paths"][0]["backend"]["service"]["name"] == service["metadata"]["name"]


def test_workers_are_as_many_as_their_queue_is_long(documents: list[Document]) -> None:
    deployments = of_kind(documents, "Deployment")
    scaled = of_kind(documents, "ScaledObject")
    assert set(scaled) == deployments.keys() - {"demo-scheduler"}
    for name, one in scaled.items():
        assert one["spec"]["scaleTargetRef"]["name"] == name
        assert 1 <= one["spec"]["minReplicaCount"] < one["spec"]["maxReplicaCount"]
        assert "replicas" not in deployments[name]["spec"], "two would set the number"
        triggers = one["spec"]["triggers"]
        command = container(pods(documents)[name])["command"]
        if triggers[0]["type"] == "redis":
            asked = [trigger["metadata"]["listName"] for trigger in triggers]
            assert asked == command[command.index("-Q") + 1].split(",")
        else:
            assert (name, [trigger["type"] for trigger in triggers]) == ("demo-web", ["cpu"])
            assert container(pods(documents)[name])["resources"]["requests"]["cpu"], "a share of nothing"


def test_nobody_reaches_workers_and_readers_reach_what_is_named_alone(documents: list[Document]) -> None:
    [policy] = of_kind(documents, "NetworkPolicy").values()
    assert policy["spec"]["policyTypes"] == ["Ingress"]
    assert "ingress" not in policy["spec"], "nobody is let in"
    [exception] = policy["spec"]["podSelector"]["matchExpressions"]
    assert (exception["operator"], exception["values"]) == ("NotIn", ["web"])
    given = values()
    assert "LEXIC_METRICS_PORT" not in given["settings"]
    given["networkPolicy"]["readersReach"] = ["10.0.3.0/24", "10.0.4.7/32"]
    narrow = of_kind(rendered(given), "NetworkPolicy")["demo-reader"]["spec"]
    assert narrow["podSelector"]["matchLabels"] == pods(documents)["demo-reader"]["metadata"]["labels"]
    names, *networks = narrow["egress"]
    assert {one["port"] for one in names["ports"]} == {53}
    assert [one["to"][0]["ipBlock"]["cidr"] for one in networks] == ["10.0.3.0/24", "10.0.4.7/32"]


def test_prometheus_reaches_the_figures_of_workers_and_nothing_else_of_them() -> None:
    given = values()
    given["settings"]["LEXIC_METRICS_PORT"] = "9464"
    policy = of_kind(rendered(given), "NetworkPolicy")["demo-workers"]["spec"]
    [rule] = policy["ingress"]
    assert rule["ports"] == [{"port": 9464, "protocol": "TCP"}]
    assert rule["from"] == [{"namespaceSelector": {}}], "no address outside of the cluster"
    given["settings"]["LEXIC_METRICS_PORT"] = "0"
    assert "ingress" not in of_kind(rendered(given), "NetworkPolicy")["demo-workers"]["spec"]
    given["settings"]["LEXIC_METRICS_PORT"], given["networkPolicy"]["metricsFrom"] = "9464", []
    assert "ingress" not in of_kind(rendered(given), "NetworkPolicy")["demo-workers"]["spec"], "an empty “from” is all"


def test_a_pod_has_time_to_end_its_streams(documents: list[Document]) -> None:
    web = pods(documents)["demo-web"]["spec"]
    [drain] = [word for word in web["containers"][0]["command"] if word.startswith("--timeout-graceful-shutdown=")]
    pause = int(web["containers"][0]["lifecycle"]["preStop"]["exec"]["command"][1])
    assert web["terminationGracePeriodSeconds"] > int(drain.partition("=")[2]) + pause


def test_without_autoscaling_the_numbers_are_fixed_and_nothing_of_keda_is_needed() -> None:
    given = values()
    given["autoscaling"]["enabled"] = given["ingress"]["enabled"] = given["networkPolicy"]["enabled"] = False
    found = rendered(given)
    assert {document["apiVersion"].partition("/")[0] for document in found} == {"v1", "apps", "batch", "policy"}
    replicas = {name: one["spec"]["replicas"] for name, one in of_kind(found, "Deployment").items()}
    assert replicas == {"demo-web": 2, "demo-worker": 1, "demo-reader": 1, "demo-reviewer": 1, "demo-scheduler": 1}


def test_a_password_of_redis_comes_from_the_secret() -> None:
    given = values()
    given["autoscaling"]["redisPasswordKey"] = "redis-password"
    found = rendered(given)
    [reference] = of_kind(found, "TriggerAuthentication")["demo-redis"]["spec"]["secretTargetRef"]
    assert (reference["name"], reference["key"]) == (given["secret"], "redis-password")
    triggers = [trigger for one in of_kind(found, "ScaledObject").values() for trigger in one["spec"]["triggers"]]
    assert {trigger.get("authenticationRef", {}).get("name") for trigger in triggers} == {None, "demo-redis"}


def test_a_changed_setting_replaces_the_pods() -> None:
    given = values()
    before = pods(rendered(given))["demo-web"]["metadata"]["annotations"]
    given["settings"]["LEXIC_LOG_LEVEL"] = "DEBUG"
    assert pods(rendered(given))["demo-web"]["metadata"]["annotations"] != before


@pytest.mark.skipif(shutil.which("helm") is None, reason="helm is not installed")
def test_helm_gives_the_same(documents: list[Document]) -> None:
    done = subprocess.run(["helm", "template", "demo", str(CHART)], capture_output=True, text=True, check=True)
    by_helm = [document for document in yaml.safe_load_all(done.stdout) if document]
    for document in [*documents, *by_helm]:
        document.get("spec", {}).get("template", {}).get("metadata", {}).get("annotations", {}).clear()
    assert {str(document) for document in by_helm} == {str(document) for document in documents}
