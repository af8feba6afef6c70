#!/usr/bin/env python3
"""Checks manifests of Kubernetes, and says what is wrong with them.

    scripts/kubernetes.py FOLDER PROGRAM

Each object fits the strict schemas of the oldest and the newest version; kustomization.yaml names every file; selectors
select the pods, ports and volumes are there, probes ask what the program answers; the pods may do no more than the
profile "restricted" allows; the program takes muster.toml. With kubectl at hand, it builds the folder, too.
"""

import os
import shutil
import subprocess
import sys
import tempfile

import kubernetes_validate
import yaml

VERSIONS = ["1.27", "1.37"]
PROBES = {"startupProbe": "/health/live", "livenessProbe": "/health/live", "readinessProbe": "/health/ready"}
wrong = []


def expect(condition, message):
    if not condition:
        wrong.append(message)


def objects(folder, names):
    for name in names:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            for found in yaml.safe_load_all(file):
                yield name, found


def fits(selector, labels):
    return bool(selector) and all(labels.get(name) == value for name, value in selector.items())


def check_pods(name, template, config_maps):
    """One template of pods."""
    spec = template["spec"]
    security = spec.get("securityContext", {})
    expect(security.get("runAsNonRoot") is True, f"{name}: pods may run as root")
    expect(security.get("seccompProfile", {}).get("type") == "RuntimeDefault", f"{name}: no seccomp profile")
    expect(spec.get("automountServiceAccountToken") is False, f"{name}: pods get a token of Kubernetes")
    volumes = {volume["name"]: volume for volume in spec.get("volumes", [])}
    mounted = set()
    for container in spec["containers"]:
        security = container.get("securityContext", {})
        expect(security.get("readOnlyRootFilesystem") is True, f"{name}: the root file system can be written")
        expect(security.get("allowPrivilegeEscalation") is False, f"{name}: privileges can grow")
        expect(security.get("capabilities", {}).get("drop") == ["ALL"], f"{name}: capabilities are kept")
        for resource in ("cpu", "memory"):
            expect(container.get("resources", {}).get("requests", {}).get(resource), f"{name}: requests no {resource}")
        expect(container["image"] == "muster", f"{name}: the image {container['image']} is not of kustomization.yaml")
        mounted.update(mount["name"] for mount in container.get("volumeMounts", []))
        ports = {port["name"] for port in container.get("ports", [])}
        for probe in PROBES.keys() & container.keys():
            asked = container[probe]["httpGet"]
            expect(asked["path"] == PROBES[probe] and asked["port"] in ports, f"{name}: {probe} asks {asked}")
    expect(mounted == set(volumes), f"{name}: volumes {sorted(volumes)}, mounted {sorted(mounted)}")
    for volume in volumes.values():
        of_map = volume.get("configMap", {}).get("name")
        expect(of_map is None or of_map in config_maps, f"{name}: there is no ConfigMap {of_map}")


def main():
    folder, program = sys.argv[1:]
    with open(os.path.join(folder, "kustomization.yaml"), encoding="utf-8") as file:
        kustomization = yaml.safe_load(file)
    generated = kustomization["configMapGenerator"]
    named = kustomization["resources"] + [name for one in generated for name in one["files"]]
    there = sorted(name for name in os.listdir(folder) if name not in ("README.md", "kustomization.yaml"))
    expect(sorted(named) == there, f"kustomization.yaml names {sorted(named)}, the folder has {there}")
    expect([image["name"] for image in kustomization["images"]] == ["muster"], "images: another than muster")

    found = list(objects(folder, [name for name in kustomization["resources"] if name in there]))
    checked = 0
    for name, one in found:
        for version in VERSIONS:
            try:
                kubernetes_validate.validate(one, version, strict=True)
                checked += 1
            except kubernetes_validate.ValidationError as error:
                where = ".".join(str(part) for part in error.path)
                wrong.append(f"{name}: Kubernetes {version}: {where}: {error.message}")

    workloads = [(name, one) for name, one in found if "template" in one.get("spec", {})]
    templates = [(name, one["kind"], one["spec"]["template"]) for name, one in workloads]
    expect(sorted(kind for _, kind, _ in templates) == ["Deployment", "Job"], "not one Deployment and one Job")
    config_maps = {one["name"] for one in generated}
    accounts = {one["metadata"]["name"] for _, one in found if one["kind"] == "ServiceAccount"}
    for name, kind, template in templates:
        check_pods(name, template, config_maps)
        expect(template["spec"]["serviceAccountName"] in accounts, f"{name}: no such service account")
        container = template["spec"]["containers"][0]
        expect(kind == "Job" or PROBES.keys() <= container.keys(), f"{name}: a probe is missing")
        named = [port["name"] for port in container.get("ports", [])]
        for other, one in found:
            spec = one.get("spec", {})
            selector = spec.get("selector", {})
            selector = selector.get("matchLabels", selector) if one["kind"] != "Job" else {}
            if selector:
                chosen = fits(selector, template["metadata"]["labels"])
                expect(chosen == (kind == "Deployment"), f"{other}: its selector and the pods of {name}")
            if one["kind"] == "Service" and kind == "Deployment":
                expect(all(port["targetPort"] in named for port in spec["ports"]), f"{other}: no such port in {name}")

    # The Secret's files are where the pods have them: others stand for them here.
    with tempfile.TemporaryDirectory() as directory:
        with open(os.path.join(folder, "muster.toml"), encoding="utf-8") as file:
            settings = file.read().replace("/run/secrets/muster", directory)
        for name, text in (("muster.toml", settings), ("database-url", "postgres://muster@db/muster\n")):
            with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
                file.write(text)
        command = [program, "config", "--config", os.path.join(directory, "muster.toml")]
        told = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        expect(told.returncode == 0, f"muster.toml: {told.stdout}{told.stderr}")

    if shutil.which("kubectl"):
        command = ["kubectl", "kustomize", folder]
        built = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        expect(built.returncode == 0, f"kubectl kustomize: {built.stderr}")

    for message in wrong:
        print(f"kubernetes: {message}", file=sys.stderr)
    print(f"kubernetes: {len(found)} objects, {checked} checks by schema, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
