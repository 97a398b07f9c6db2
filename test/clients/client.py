"""Python's official client on a cluster: what it does and sees, one line for each, on standard output.

  client.py use               makes, lists, watches, changes, rolls back and deletes things of its own
  client.py follow NAMESPACE  watches the Deployment of a release of Helm's until it is gone
  client.py list NAMESPACE    lists what a release of Helm's has left: its hooks, and its revisions

The kubeconfig is that of KUBECONFIG.
"""

import re
import sys

from kubernetes import client, config, dynamic, stream, utils, watch
from kubernetes.client.exceptions import ApiException

LIMIT_SECONDS = 600
NAMESPACE = "python"


def say(line):
    print(line, flush=True)


def template(image):
    return {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "main", "image": image, "ports": [{"containerPort": 80}]}]},
    }


DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web"},
    "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template("example/web:1")},
}


def is_rolled_out(deployment):
    status = deployment.status
    return (
        status.observed_generation == deployment.metadata.generation
        and status.updated_replicas == status.replicas == status.available_replicas == deployment.spec.replicas
    )


def image_of(deployment):
    return deployment.spec.template.spec.containers[0].image


def events_of(namespace, **since):
    """Watch events of Deployments; those that there are come first, unless a version says since when."""
    deployments = client.AppsV1Api().list_namespaced_deployment
    return watch.Watch().stream(deployments, namespace, timeout_seconds=LIMIT_SECONDS, **since)


def until(namespace, is_done, **since):
    for event in events_of(namespace, **since):
        if is_done(event):
            return event["object"]
    raise SystemExit("the watch ended before what it waits for happened")


def follow(namespace):
    seen = None
    version = client.AppsV1Api().list_namespaced_deployment(namespace).metadata.resource_version
    say("follows")
    for event in events_of(namespace, resource_version=version):
        deployment = event["object"]
        if event["type"] == "DELETED":
            say("deleted")
            return
        if is_rolled_out(deployment) and image_of(deployment) != seen:
            seen = image_of(deployment)
            say(f"rolled out {seen}")
    raise SystemExit("the Deployment is still there")


def list_release(namespace):
    jobs = client.BatchV1Api().list_namespaced_job(namespace).items
    for job in sorted(jobs, key=lambda each: each.metadata.name):
        say(f"hook {job.metadata.annotations['helm.sh/hook']}: {job.status.succeeded} succeeded")
    secrets = client.CoreV1Api().list_namespaced_secret(namespace, field_selector="type=helm.sh/release.v1").items
    for secret in secrets:
        say(f"revision {secret.metadata.labels['version']}: {secret.metadata.labels['status']}")


def refusal(call, *args, **named):
    try:
        call(*args, **named)
    except ApiException as error:
        # Of a refused WebSocket the status is part of the reason.
        handshake = re.match(r"Handshake status (\d+)", error.reason or "")
        return int(handshake[1]) if handshake else error.status
    return "no refusal"


def use():
    core, apps, batch = client.CoreV1Api(), client.AppsV1Api(), client.BatchV1Api()
    say(f"version {client.VersionApi().get_code().git_version.split('+')[0].split('-')[0]}")
    say(f"nodes {[node.metadata.name for node in core.list_node().items]}")
    core.create_namespace({"metadata": {"name": NAMESPACE}})
    say(f"the same again: {refusal(core.create_namespace, {'metadata': {'name': NAMESPACE}})}")
    utils.create_from_dict(client.ApiClient(), DEPLOYMENT, namespace=NAMESPACE)
    until(NAMESPACE, lambda event: is_rolled_out(event["object"]))
    pods = core.list_namespaced_pod(NAMESPACE, label_selector="app=web").items
    say(f"pods {[pod.status.phase for pod in pods]}")
    say(f"log: {core.read_namespaced_pod_log(pods[0].metadata.name, NAMESPACE).splitlines()[0]}")
    page = core.list_namespaced_pod(NAMESPACE, limit=1)
    rest = core.list_namespaced_pod(NAMESPACE, limit=1, _continue=page.metadata._continue)
    say(f"pages of {len(page.items)} and {len(rest.items)}, {page.metadata.remaining_item_count} to come")

    apps.patch_namespaced_deployment("web", NAMESPACE, {"spec": {"template": template("example/web:2")}})
    until(NAMESPACE, lambda event: is_rolled_out(event["object"]) and image_of(event["object"]) == "example/web:2")
    sets = apps.list_namespaced_replica_set(NAMESPACE).items
    revisions = sorted(each.metadata.annotations["deployment.kubernetes.io/revision"] for each in sets)
    say(f"upgraded; revisions {revisions}")
    old = next(each for each in sets if each.spec.replicas == 0)
    del old.spec.template.metadata.labels["pod-template-hash"]
    replace_template(apps, old.spec.template)
    web = until(NAMESPACE, lambda event: is_rolled_out(event["object"]) and image_of(event["object"]) == "example/web:1")
    say(f"rolled back; revision {web.metadata.annotations['deployment.kubernetes.io/revision']}")
    say(f"an old version: {refusal(apps.replace_namespaced_deployment, 'web', NAMESPACE, stale(web))}")
    apps.patch_namespaced_deployment_scale("web", NAMESPACE, {"spec": {"replicas": 3}})
    web = until(NAMESPACE, lambda event: event["object"].status.ready_replicas == 3)
    say(f"scaled to {web.status.ready_replicas}")

    apply_by(dynamic.DynamicClient(client.ApiClient()))
    name = core.list_namespaced_pod(NAMESPACE, label_selector="app=web").items[0].metadata.name
    exec_in = core.connect_get_namespaced_pod_exec
    say(f"exec: {refusal(stream.stream, exec_in, name, NAMESPACE, command=['ls'], stdout=True)}")
    metrics = client.CustomObjectsApi().list_namespaced_custom_object("metrics.k8s.io", "v1beta1", NAMESPACE, "pods")
    say(f"usage of a pod: {metrics['items'][0]['containers'][0]['usage']}")

    job = {"metadata": {"name": "once"}, "spec": {"template": template("example/job:1")}}
    job["spec"]["template"]["spec"]["restartPolicy"] = "Never"
    batch.create_namespaced_job(NAMESPACE, job)
    for event in watch.Watch().stream(batch.list_namespaced_job, NAMESPACE, timeout_seconds=LIMIT_SECONDS):
        if event["object"].status.succeeded == 1:
            break
    say("the Job has succeeded")
    batch.delete_namespaced_job("once", NAMESPACE, propagation_policy="Background")
    # A watch that begins after the end of an object does not tell of it.
    before = apps.list_namespaced_deployment(NAMESPACE).metadata.resource_version
    apps.delete_namespaced_deployment("web", NAMESPACE, propagation_policy="Foreground")
    until(NAMESPACE, lambda event: event["type"] == "DELETED", resource_version=before)
    say(f"deleted; {len(core.list_namespaced_pod(NAMESPACE, label_selector='app=web').items)} pods are left")
    before = core.list_namespace().metadata.resource_version
    core.delete_namespace(NAMESPACE)
    for event in watch.Watch().stream(core.list_namespace, resource_version=before, timeout_seconds=LIMIT_SECONDS):
        if event["type"] == "DELETED" and event["object"].metadata.name == NAMESPACE:
            break
    say(f"the namespace is gone: {refusal(core.read_namespace, NAMESPACE)}")


def replace_template(apps, wanted):
    """The controller writes to the object too: a conflict asks for the latest version."""
    while True:
        web = apps.read_namespaced_deployment("web", NAMESPACE)
        web.spec.template = wanted
        if refusal(apps.replace_namespaced_deployment, "web", NAMESPACE, web) != 409:
            return


def stale(deployment):
    deployment.metadata.resource_version = "1"
    return deployment


def apply_by(dynamic_client):
    """Server-side apply, and a conflict of two managers."""
    maps = dynamic_client.resources.get(api_version="v1", kind="ConfigMap")

    def apply(manager, greeting, force):
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"greeting": greeting}}
        return maps.server_side_apply(body, namespace=NAMESPACE, field_manager=manager, force_conflicts=force)

    say(f"applied {apply('one', 'hello', False).data.greeting}")
    try:
        apply("two", "bye", False)
    except dynamic.exceptions.ConflictError as error:
        say(f"a conflict: {error.status}")
    say(f"applied by force {apply('two', 'bye', True).data.greeting}")


def main(command, *args):
    config.load_kube_config()
    {"use": use, "follow": follow, "list": list_release}[command](*args)


main(*sys.argv[1:])
