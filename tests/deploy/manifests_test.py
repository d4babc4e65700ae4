#!/usr/bin/env python3
"""What must hold of the Kubernetes manifests, beyond their schemas."""

import copy
import unittest

try:
    import manifests
except ImportError as error:
    import sys

    print(f"skipped: {error} (python3-yaml, python3-jsonschema: group test of tools/apt-packages.txt)")
    sys.exit(77)

MPI = manifests.load("mpijob.yaml")
INDEXED = manifests.load("indexed-job.yaml")
JOBS = (MPI["MPIJob"], INDEXED["Job"])
LEARNING = manifests.load("rl-allreduce.yaml")
SERVER = manifests.load("rl-server.yaml")
WORKERS = manifests.load("rl-workers.yaml")
ALL = (MPI, INDEXED, LEARNING, SERVER, WORKERS)
ALL_JOBS = (*JOBS, LEARNING["Job"], SERVER["Job"], WORKERS["Job"])


def containers():
    for job in ALL_JOBS:
        for name, template in manifests.pod_templates(job):
            for container in template["spec"]["containers"]:
                yield f"{job['kind']} {job['metadata']['name']} {name}", template["spec"], container


def changed(document, path, value):
    """A copy with one value changed, or added."""
    document = copy.deepcopy(document)
    *parents, last = path
    place = document
    for step in parents:
        place = place[step]
    place[last] = value
    return document


class SchemaTest(unittest.TestCase):
    def test_manifests_are_valid(self):
        for documents in ALL:
            for kind, document in documents.items():
                with self.subTest(kind):
                    self.assertEqual(manifests.errors(document), [])

    def refused(self, document, *words):
        found = manifests.errors(document)
        self.assertEqual(len(found), 1, found)
        for word in words:
            self.assertIn(word, found[0])

    def test_misspelt_field_is_named(self):
        self.refused(changed(JOBS[0], ("spec", "slotPerWorker"), 1), "spec", "'slotPerWorker' was unexpected")
        self.refused(changed(JOBS[0], ("spec", "runPolicy", "backofLimit"), 1), "spec.runPolicy", "backofLimit")
        self.refused(changed(JOBS[1], ("spec", "completionsMode"), "Indexed"), "spec", "completionsMode")
        container = ("spec", "template", "spec", "containers", 0)
        self.refused(changed(JOBS[1], (*container, "volumeMount"), []), "containers.0", "volumeMount")
        self.refused(changed(INDEXED["Service"], ("spec", "clusterIp"), "None"), "spec: ", "'clusterIp' was unexpected")

    def test_old_versions_of_the_operator_are_refused(self):
        for version in ("v1alpha1", "v1alpha2", "v1", "v2"):
            self.refused(changed(JOBS[0], ("apiVersion",), f"kubeflow.org/{version}"), "apiVersion", "v2beta1")

    def test_wrong_types_are_refused(self):
        self.refused(changed(JOBS[0], ("spec", "slotsPerWorker"), "2"), "slotsPerWorker", "integer")
        self.refused(changed(JOBS[0], ("spec", "mpiImplementation"), "openmpi"), "mpiImplementation")
        self.refused(changed(INDEXED["ConfigMap"], ("data", "LOCKSTEP_TCP_SIZE"), 4), "data.LOCKSTEP_TCP_SIZE")

    def test_failure_policy_demands_new_pods(self):
        self.refused(changed(JOBS[1], ("spec", "template", "spec", "restartPolicy"), "OnFailure"), "restartPolicy")
        self.refused(changed(JOBS[1], ("spec", "podReplacementPolicy"), "TerminatingOrFailed"), "podReplacementPolicy")


class PodTest(unittest.TestCase):
    def test_requests_equal_limits(self):
        for name, _, container in containers():
            with self.subTest(name):
                self.assertEqual(container["resources"]["requests"], container["resources"]["limits"])
                self.assertEqual(set(container["resources"]["limits"]), {"cpu", "memory"})

    def test_nothing_runs_as_root(self):
        for name, pod, container in containers():
            with self.subTest(name):
                self.assertIs(pod["securityContext"]["runAsNonRoot"], True)
                self.assertEqual(pod["securityContext"]["runAsUser"], 1000)
                self.assertEqual(pod["securityContext"]["fsGroup"], 1000)
                self.assertIs(container["securityContext"]["allowPrivilegeEscalation"], False)
                self.assertEqual(container["securityContext"]["capabilities"]["drop"], ["ALL"])
                self.assertNotIn("--allow-run-as-root", container.get("args", []))

    def test_no_sidecar_is_injected(self):
        for job in ALL_JOBS:
            for _, template in manifests.pod_templates(job):
                self.assertEqual(template["metadata"]["labels"]["sidecar.istio.io/inject"], "false")

    def test_a_checkpoint_fits_into_the_grace_period(self):
        for name, pod, _ in containers():
            with self.subTest(name):
                if "lockstep-workers" not in name:  # they write none
                    self.assertGreaterEqual(pod["terminationGracePeriodSeconds"], 180)

    def test_every_mounted_volume_is_there(self):
        for name, pod, container in containers():
            with self.subTest(name):
                volumes = {volume["name"] for volume in pod.get("volumes", [])}
                self.assertEqual({mount["name"] for mount in container["volumeMounts"]}, volumes)

    def test_data_outlives_the_pods(self):
        for documents, job in ((MPI, JOBS[0]), (INDEXED, JOBS[1]), (LEARNING, LEARNING["Job"]), (SERVER, SERVER["Job"])):
            claim = documents["PersistentVolumeClaim"]
            self.assertEqual(claim["spec"]["accessModes"], ["ReadWriteMany"])
            for _, template in manifests.pod_templates(job):
                claims = [volume.get("persistentVolumeClaim") for volume in template["spec"]["volumes"]]
                self.assertIn({"claimName": claim["metadata"]["name"]}, claims)

    def test_runs_resume_from_checkpoints_on_the_volume(self):
        for words in (launcher()["args"], rank()["args"]):
            self.assertIn("--resume", words)
            self.assertGreater(int(manifests.option(words, "--checkpoint-every")), 0)
            self.assertTrue(manifests.option(words, "--output").startswith("/data/"))


def replica(name):
    return MPI["MPIJob"]["spec"]["mpiReplicaSpecs"][name]


def launcher():
    return replica("Launcher")["template"]["spec"]["containers"][0]


def worker():
    return replica("Worker")["template"]["spec"]["containers"][0]


class MpiJobTest(unittest.TestCase):
    def test_slots_hold_all_ranks(self):
        ranks = int(manifests.option(launcher()["args"], "-n"))
        self.assertEqual(MPI["MPIJob"]["spec"]["slotsPerWorker"] * replica("Worker")["replicas"], ranks)
        self.assertEqual(manifests.variables(launcher())["LOCKSTEP_EXPECT_RANKS"], str(ranks))

    def test_threads_fill_the_cpus_of_a_worker(self):
        threads = manifests.option(launcher()["args"], "--threads")
        cpus = int(worker()["resources"]["limits"]["cpu"])
        self.assertEqual(int(threads) * MPI["MPIJob"]["spec"]["slotsPerWorker"], cpus)

    def test_mpirun_hands_every_variable_on(self):
        words = launcher()["args"]
        handed = {words[place + 1] for place, word in enumerate(words) if word == "-x"}
        self.assertEqual(handed, set(manifests.variables(launcher())))

    def test_binding_is_off_where_a_quota_names_no_cores(self):
        self.assertEqual(manifests.option(launcher()["args"], "--bind-to"), "none")

    def test_workers_run_the_ssh_server_of_the_image(self):
        self.assertEqual(worker()["command"], ["/usr/sbin/sshd"])
        self.assertEqual(worker()["args"], ["-De", "-f", "/home/mpiuser/.sshd_config"])
        self.assertEqual(worker()["startupProbe"]["tcpSocket"]["port"], 2222)
        self.assertEqual(MPI["MPIJob"]["spec"]["sshAuthMountPath"], "/home/mpiuser/.ssh")

    def test_shared_memory_is_large_enough_and_within_the_limit(self):
        volumes = {volume["name"]: volume for volume in replica("Worker")["template"]["spec"]["volumes"]}
        mounts = {mount["mountPath"]: mount["name"] for mount in worker()["volumeMounts"]}
        self.assertEqual(volumes[mounts["/dev/shm"]]["emptyDir"], {"medium": "Memory", "sizeLimit": "1Gi"})

    def test_failed_launchers_are_started_again(self):
        policy = MPI["MPIJob"]["spec"]["runPolicy"]
        self.assertGreater(policy["backoffLimit"], 0)
        for field in ("activeDeadlineSeconds", "ttlSecondsAfterFinished", "cleanPodPolicy"):
            self.assertIn(field, policy)
        self.assertEqual(MPI["MPIJob"]["spec"]["launcherCreationPolicy"], "WaitForWorkersReady")


def rank(documents=INDEXED):
    return documents["Job"]["spec"]["template"]["spec"]["containers"][0]


def rank_variables(documents=INDEXED):
    return manifests.variables(rank(documents), documents["ConfigMap"]["data"])


class IndexedJobTest(unittest.TestCase):
    def test_each_pod_is_a_rank(self):
        job = INDEXED["Job"]["spec"]
        self.assertEqual(job["completionMode"], "Indexed")
        self.assertEqual(job["completions"], job["parallelism"])
        self.assertEqual(rank_variables()["LOCKSTEP_TCP_SIZE"], str(job["completions"]))

    def test_ranks_meet_at_the_name_of_pod_0(self):
        service = INDEXED["Service"]
        pod_0, subdomain = f"{INDEXED['Job']['metadata']['name']}-0", service["metadata"]["name"]
        port = service["spec"]["ports"][0]["port"]
        self.assertEqual(rank_variables()["LOCKSTEP_TCP_COORDINATOR"], f"{pod_0}.{subdomain}:{port}")
        self.assertEqual(INDEXED["Job"]["spec"]["template"]["spec"]["subdomain"], subdomain)
        self.assertEqual(service["spec"]["clusterIP"], "None")
        self.assertIs(service["spec"]["publishNotReadyAddresses"], True)
        self.assertEqual(
            service["spec"]["selector"], {"batch.kubernetes.io/job-name": INDEXED["Job"]["metadata"]["name"]}
        )

    def test_settings_come_from_the_config_map(self):
        self.assertEqual(rank()["envFrom"], [{"configMapRef": {"name": INDEXED["ConfigMap"]["metadata"]["name"]}}])

    def test_a_lost_rank_restarts_all_often_enough(self):
        job = INDEXED["Job"]["spec"]
        self.assertEqual(rank_variables()["LOCKSTEP_ON_FAILURE"], "abort")
        self.assertGreaterEqual(job["backoffLimit"], 10 * job["completions"])
        self.assertNotIn("backoffLimitPerIndex", job)
        self.assertEqual(job["podReplacementPolicy"], "Failed")

    def test_the_secret_is_not_in_the_repository(self):
        self.assertNotIn("Secret", INDEXED)
        volumes = {volume["name"]: volume for volume in INDEXED["Job"]["spec"]["template"]["spec"]["volumes"]}
        mounts = {mount["mountPath"]: mount for mount in rank()["volumeMounts"]}
        folder, _, _ = rank_variables()["LOCKSTEP_TCP_TOKEN_FILE"].rpartition("/")
        self.assertIn("secret", volumes[mounts[folder]["name"]])
        self.assertIs(mounts[folder]["readOnly"], True)

    def test_threads_equal_the_cpus_of_a_pod(self):
        threads = manifests.option(rank()["args"], "--threads")
        self.assertEqual(rank()["resources"]["limits"]["cpu"], threads)


class LearningTest(unittest.TestCase):
    def test_ranks_are_lost_and_replaced_as_those_of_the_indexed_job(self):
        for field in ("completionMode", "completions", "backoffLimit", "podFailurePolicy", "podReplacementPolicy"):
            self.assertEqual(LEARNING["Job"]["spec"][field], INDEXED["Job"]["spec"][field])
        self.assertEqual(rank_variables(LEARNING)["LOCKSTEP_ON_FAILURE"], "abort")

    def test_ranks_meet_at_the_name_of_pod_0(self):
        name = LEARNING["Job"]["metadata"]["name"]
        self.assertEqual(rank_variables(LEARNING)["LOCKSTEP_TCP_COORDINATOR"], f"{name}-0.{name}:29500")
        self.assertEqual(rank_variables(LEARNING)["LOCKSTEP_TCP_SIZE"], str(LEARNING["Job"]["spec"]["completions"]))
        self.assertEqual(LEARNING["Service"]["metadata"]["name"], name)
        self.assertEqual(LEARNING["Service"]["spec"]["selector"], {"batch.kubernetes.io/job-name": name})
        self.assertEqual(LEARNING["Job"]["spec"]["template"]["spec"]["subdomain"], name)

    def test_threads_fill_the_cpus_of_a_pod(self):
        for documents in (LEARNING, SERVER, WORKERS):
            container = rank(documents)
            threads = manifests.option(container["args"], "--threads")
            self.assertEqual(container["resources"]["limits"]["cpu"], threads)

    def test_ranks_and_server_resume_from_checkpoints_on_the_volume(self):
        for documents in (LEARNING, SERVER):
            words = rank(documents)["args"]
            self.assertIn("--resume", words)
            self.assertTrue(manifests.option(words, "--output").startswith("/data/"))

    def test_workers_connect_to_the_name_of_the_service(self):
        service = SERVER["Service"]
        port = service["spec"]["ports"][0]["port"]
        self.assertIn(f"{service['metadata']['name']}:{port}", rank(WORKERS)["args"])
        self.assertEqual(manifests.option(rank(SERVER)["args"], "--listen"), f"0.0.0.0:{port}")
        self.assertEqual(
            service["spec"]["selector"], {"batch.kubernetes.io/job-name": SERVER["Job"]["metadata"]["name"]}
        )

    def test_the_token_comes_from_a_secret_that_is_not_here(self):
        for documents in (LEARNING, SERVER, WORKERS):
            self.assertNotIn("Secret", documents)
            volumes = {volume["name"]: volume for volume in documents["Job"]["spec"]["template"]["spec"]["volumes"]}
            mounts = {mount["mountPath"]: mount for mount in rank(documents)["volumeMounts"]}
            variables = manifests.variables(rank(documents), documents.get("ConfigMap", {}).get("data"))
            folder, _, _ = variables["LOCKSTEP_TCP_TOKEN_FILE"].rpartition("/")
            secret = volumes[mounts[folder]["name"]]["secret"]
            self.assertEqual(secret["secretName"], "lockstep-token")
            self.assertEqual(secret["defaultMode"], 0o440)

    def test_workers_come_and_leave(self):
        self.assertNotIn("completions", WORKERS["Job"]["spec"])
        self.assertNotIn("completionMode", WORKERS["Job"]["spec"])


if __name__ == "__main__":
    unittest.main()
