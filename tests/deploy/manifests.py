"""The manifests of deploy/kubernetes as Python objects, and their strict schemas."""

import json
from pathlib import Path

import jsonschema
import yaml

FOLDER = Path(__file__).resolve().parents[2] / "deploy" / "kubernetes"
BASE = "https://lockstep.invalid/schemas/"  # never asked for: all schemas are at hand
SCHEMA_OF = {"MPIJob": "mpijob", "Job": "job"}


def load(name):
    """All documents of a manifest, by kind."""
    documents = list(yaml.safe_load_all((FOLDER / name).read_text(encoding="utf-8")))
    return {document["kind"]: document for document in documents}


def schemas():
    files = (FOLDER / "schemas").glob("*.json")
    return {schema["$id"]: schema for schema in (json.loads(file.read_text()) for file in files)}


def errors(document):
    """What is wrong with a document, as PATH: MESSAGE."""
    store = schemas()
    schema = store[f"{BASE}{SCHEMA_OF.get(document.get('kind'), 'core')}.json"]
    resolver = jsonschema.RefResolver(schema["$id"], schema, store=store)
    validator = jsonschema.Draft202012Validator(schema, resolver=resolver)
    return [f"{'.'.join(map(str, error.absolute_path))}: {error.message}" for error in validator.iter_errors(document)]


def pod_templates(document):
    """(name, template) of each kind of pod that a job starts."""
    if document["kind"] == "Job":
        return [("Job", document["spec"]["template"])]
    return [(name, replica["template"]) for name, replica in document["spec"]["mpiReplicaSpecs"].items()]


def variables(container, config_map=None):
    """The plain environment variables of a container."""
    found = dict(config_map or {})
    found |= {entry["name"]: entry["value"] for entry in container.get("env", []) if "value" in entry}
    return found


def option(words, name):
    """The word after an option."""
    return words[words.index(name) + 1]
