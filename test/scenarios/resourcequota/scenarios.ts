// The resource quota controller: the objects that it counts, and the times of a recount. The API server charges
// creates.

import { expect } from "vitest";
import {
  ConfigMaps,
  PersistentVolumeClaims,
  Pods,
  ResourceQuotas,
  Secrets,
  Services,
} from "#api/generated/resources/core-v1.ts";
import { ResourceClaims } from "#api/generated/resources/resource-v1.ts";
import { define } from "#test/stage/custom-resources.ts";
import { setPodStatus } from "#test/stage/pods.ts";
import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import { maps, pod, quota, untilUsed } from "./quota-steps.ts";

export const scenarios: readonly Scenario[] = scenariosOf("resourcequota-controller", { cast: "clean-up" }, [
  {
    name: "resourcequota/1, resourcequota/3, resourcequota/4, resourcequota/writes, resourcequota/tests counts what is there when a quota comes",
    async play(stage) {
      await maps(stage, "one", "two");
      await stage.of(Secrets).create({ metadata: { name: "three" } });
      await stage.settle();
      await quota(stage, "all", { configmaps: "10", "count/configmaps": "10", secrets: "5", pods: "3" });
      await untilUsed(stage, "all", { configmaps: "2", "count/configmaps": "2", pods: "0", secrets: "1" });
      const { spec, status } = await stage.of(ResourceQuotas).get("all");
      expect(status?.hard).toEqual(spec?.hard);
      await stage.calm(async () => {
        const own = (await stage.writes()).filter(({ who }) => who === "resourcequota-controller");
        expect(own.map(({ verb, resource }) => `${verb} ${resource}`)).toEqual(["update resourcequotas/status"]);
      });
    },
  },
  {
    name: "resourcequota/1, resourcequota/4, resourcequota/tests follows new limits, and those alone",
    async play(stage) {
      await maps(stage, "one");
      await quota(stage, "limits", { configmaps: "10" });
      await stage.of(ResourceQuotas).patch("limits", { spec: { hard: { configmaps: "5", secrets: "1" } } });
      await untilUsed(stage, "limits", { configmaps: "1", secrets: "0" });
      await stage.settle();
      await stage.of(ResourceQuotas).patch("limits", { metadata: { labels: { team: "blue" } } });
      await stage.settle();
      await stage.of(ResourceQuotas).patch("limits", { spec: { hard: { configmaps: null } } });
      await untilUsed(stage, "limits", { secrets: "0" });
      expect((await stage.of(ResourceQuotas).get("limits")).status?.hard).toEqual({ secrets: "1" });
    },
  },
  {
    name: "resourcequota/6, resourcequota/20, resourcequota/tests counts again when an object is deleted, in its namespace alone",
    async play(stage) {
      await maps(stage, "one", "two");
      await quota(stage, "maps", { configmaps: "10" });
      await quota(stage, "others", { secrets: "10" });
      await stage.of(ConfigMaps).delete("one");
      await untilUsed(stage, "maps", { configmaps: "1" });
      await stage.settle();
      await stage.of(ConfigMaps).delete("two");
      await untilUsed(stage, "maps", { configmaps: "0" });
    },
  },
  {
    name: "resourcequota/5, resourcequota/10, resourcequota/12, resourcequota/tests frees what a pod used when it has ended, but not its number",
    async play(stage) {
      await pod(stage, "one", { requests: { cpu: "250m", memory: "1Gi" }, limits: { cpu: "1", memory: "1536Mi" } });
      await pod(stage, "two", { requests: { cpu: "750m", memory: "512Mi" }, limits: { cpu: "1", memory: "512Mi" } });
      await stage.settle();
      const hard = {
        "requests.cpu": "4",
        "requests.memory": "8Gi",
        "limits.memory": "8Gi",
        pods: "5",
        "count/pods": "5",
      };
      await quota(stage, "compute", hard);
      const both = { "requests.cpu": "1", "requests.memory": "1536Mi", "limits.memory": "2Gi", pods: "2" };
      await untilUsed(stage, "compute", { ...both, "count/pods": "2" });
      await setPodStatus(stage, "one", { phase: "Succeeded" });
      const rest = { "requests.cpu": "750m", "requests.memory": "512Mi", "limits.memory": "512Mi", pods: "1" };
      await untilUsed(stage, "compute", { ...rest, "count/pods": "2" });
      await stage.settle();
      await stage.of(Pods).delete("one", { gracePeriodSeconds: 0 });
      await untilUsed(stage, "compute", { ...rest, "count/pods": "1" });
    },
  },
  {
    name: "resourcequota/15, resourcequota/tests counts pods by the scopes BestEffort and NotBestEffort",
    async play(stage) {
      await pod(stage, "modest");
      await pod(stage, "greedy", { requests: { cpu: "100m" } });
      await stage.settle();
      await quota(stage, "best-effort", { pods: "5" }, { scopes: ["BestEffort"] });
      await quota(stage, "not-best-effort", { pods: "5", cpu: "1" }, { scopes: ["NotBestEffort"] });
      await untilUsed(stage, "best-effort", { pods: "1" });
      await untilUsed(stage, "not-best-effort", { pods: "1", cpu: "100m" });
      await stage.of(Pods).delete("modest", { gracePeriodSeconds: 0 });
      await untilUsed(stage, "best-effort", { pods: "0" });
    },
  },
  {
    name: "resourcequota/10, resourcequota/15, resourcequota/tests counts a pod that gets a deadline in the scope Terminating",
    async play(stage) {
      await pod(stage, "endless");
      await pod(stage, "short", {}, { activeDeadlineSeconds: 3600 });
      await stage.settle();
      await quota(stage, "terminating", { pods: "5" }, { scopes: ["Terminating"] });
      await quota(stage, "not-terminating", { pods: "5" }, { scopes: ["NotTerminating"] });
      await untilUsed(stage, "terminating", { pods: "1" });
      await untilUsed(stage, "not-terminating", { pods: "1" });
      await stage.of(Pods).patch("endless", { spec: { activeDeadlineSeconds: 60 } });
      await untilUsed(stage, "not-terminating", { pods: "0" });
      await untilUsed(stage, "terminating", { pods: "2" });
    },
  },
  {
    name: "resourcequota/16 counts nothing of a kind without scopes for a quota with one",
    async play(stage) {
      await pod(stage, "modest");
      await maps(stage, "one");
      await stage.settle();
      const expression = { scopeName: "PriorityClass", operator: "DoesNotExist" };
      const scopeSelector = { matchExpressions: [expression] };
      await quota(stage, "without-class", { pods: "5" }, { scopeSelector });
      await untilUsed(stage, "without-class", { pods: "1" });
      await quota(
        stage,
        "with-class",
        { pods: "5" },
        { scopeSelector: { matchExpressions: [{ ...expression, operator: "Exists" }] } },
      );
      await untilUsed(stage, "with-class", { pods: "0" });
    },
  },
  {
    name: "resourcequota/10, resourcequota/17, resourcequota/tests frees node ports when a service changes its type",
    async play(stage) {
      const ports = [
        { name: "a", port: 80 },
        { name: "b", port: 81 },
      ];
      await stage.of(Services).create({ metadata: { name: "web" }, spec: { type: "NodePort", ports } });
      await stage.settle();
      await quota(stage, "services", { services: "5", "services.nodeports": "5", "services.loadbalancers": "1" });
      await untilUsed(stage, "services", { services: "1", "services.loadbalancers": "0", "services.nodeports": "2" });
      await stage.of(Services).patch("web", { spec: { type: "ClusterIP" } });
      await untilUsed(stage, "services", { services: "1", "services.loadbalancers": "0", "services.nodeports": "0" });
      await stage.settle();
      await stage.of(Services).delete("web");
      await untilUsed(stage, "services", { services: "0", "services.loadbalancers": "0", "services.nodeports": "0" });
    },
  },
  {
    name: "resourcequota/18, resourcequota/tests counts storage of volume claims, by class too",
    async play(stage) {
      const claim = (name: string, storage: string, storageClassName?: string) => ({
        metadata: { name },
        spec: {
          accessModes: ["ReadWriteOnce"],
          resources: { requests: { storage } },
          ...(storageClassName === undefined ? {} : { storageClassName }),
        },
      });
      await stage.of(PersistentVolumeClaims).create(claim("plain", "1Gi"));
      await stage.of(PersistentVolumeClaims).create(claim("gold", "2Gi", "gold"));
      await stage.settle();
      const ofGold = "gold.storageclass.storage.k8s.io/requests.storage";
      await quota(stage, "storage", { persistentvolumeclaims: "5", "requests.storage": "10Gi", [ofGold]: "5Gi" });
      await untilUsed(stage, "storage", { persistentvolumeclaims: "2", "requests.storage": "3Gi", [ofGold]: "2Gi" });
      await stage.of(PersistentVolumeClaims).patch("gold", { metadata: { finalizers: null } });
      await stage.of(PersistentVolumeClaims).delete("gold");
      await untilUsed(stage, "storage", { persistentvolumeclaims: "1", "requests.storage": "1Gi", [ofGold]: "0" });
    },
  },
  {
    name: "resourcequota/19 counts the devices that resource claims may get, by class",
    async play(stage) {
      const exactly = { deviceClassName: "gpu", allocationMode: "ExactCount", count: 3 };
      const spec = { devices: { requests: [{ name: "first", exactly }] } };
      await stage.of(ResourceClaims).create({ metadata: { name: "devices" }, spec });
      await stage.settle();
      const gpus = "gpu.deviceclass.resource.k8s.io/devices";
      await quota(stage, "devices", { "count/resourceclaims.resource.k8s.io": "5", [gpus]: "8" });
      await untilUsed(stage, "devices", { "count/resourceclaims.resource.k8s.io": "1", [gpus]: "3" });
      await stage.of(ResourceClaims).delete("devices");
      await untilUsed(stage, "devices", { "count/resourceclaims.resource.k8s.io": "0", [gpus]: "0" });
    },
  },
  {
    name: "resourcequota/3 says nothing of a limit that nobody can measure, and keeps counting the others",
    async play(stage) {
      await maps(stage, "one");
      await quota(stage, "unknown", { "count/nothings.example.com": "5", configmaps: "5" });
      await untilUsed(stage, "unknown", { configmaps: "1" });
      expect((await stage.of(ResourceQuotas).get("unknown")).status?.hard).toEqual({
        "count/nothings.example.com": "5",
        configmaps: "5",
      });
    },
  },
  {
    name: "resourcequota/2, resourcequota/config, resourcequota/tests corrects a wrong usage with the next full count",
    profile: "quick",
    async play(stage) {
      await maps(stage, "one");
      await quota(stage, "wrong", { configmaps: "10" });
      await stage
        .of(ResourceQuotas)
        .patch("wrong", { status: { used: { configmaps: "7" } } }, { subresource: "status" });
      await untilUsed(stage, "wrong", { configmaps: "1" });
    },
  },
  {
    name: "resourcequota/7, resourcequota/8, resourcequota/watches, resourcequota/tests counts custom resources that came after the controller started",
    slow: true,
    profile: "quick",
    async play(stage) {
      const Widgets = await define(stage, "Widget");
      await stage.of(Widgets).create({ metadata: { name: "one" } });
      await stage.of(Widgets).create({ metadata: { name: "two" } });
      const name = `count/widgets.${Widgets.group}`;
      await stage.of(ResourceQuotas).create({ metadata: { name: "widgets" }, spec: { hard: { [name]: "9" } } });
      await untilUsed(stage, "widgets", { [name]: "2" });
      await stage.settle();
      await stage.of(Widgets).delete("one");
      await untilUsed(stage, "widgets", { [name]: "1" });
    },
  },
]);
