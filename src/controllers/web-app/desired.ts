import { type WebApp, webAppManagedBy } from '../../apis/web-app.ts';
import type { FieldPath } from '../../core/objects/fields.ts';
import { formatLabelSelector, type KubeObject } from '../../core/objects/kube-object.ts';
import { mergePodTemplate, type OwnPod } from '../../pods/pod-template.ts';
import { isGateChosen, selectChoices } from './choices.ts';
import { CONTAINER, type Deployment, findApp, type PodSpec } from './deployment.ts';
import { desireGate } from './gate.ts';

/** The path of the number of pods in a Deployment. */
export const REPLICAS: FieldPath = ['spec', 'replicas'];

/** The facts beside the spec that the Deployment depends on. */
export interface DeploymentFacts {
  readonly observed?: Deployment | undefined;
  /** A load balancer sends requests to its pods; undefined: not known yet. */
  readonly isBalanced?: boolean | undefined;
}

/**
 * The fields that albridge sets in the Deployment, with those of `spec.podTemplate`, and no others: what the
 * server defaults and what others set - `kubectl rollout restart`, sidecars, resources - stays theirs.
 */
export function desireDeployment(
  object: WebApp,
  facts: DeploymentFacts = {},
): KubeObject & { spec: object } {
  const { metadata, spec } = object;
  const labels = buildLabels(metadata.name);
  const template = mergePodTemplate(buildPod(object, facts), spec.podTemplate);
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: metadata.name, namespace: metadata.namespace, labels },
    spec: { replicas: spec.replicas, selector: { matchLabels: labels }, template },
  };
}

function buildPod({ metadata, spec }: WebApp, { observed, isBalanced }: DeploymentFacts): OwnPod {
  const others = selectChoices(observed ?? {}, spec.podTemplate);
  // Pods of a template with the gate wait for it whatever is balanced, and albridge opens it only where they have the label.
  const gate = desireGate(others, isGateChosen(spec.podTemplate) || isBalanced);
  const ports = [{ name: 'http', containerPort: spec.port, protocol: 'TCP' }];
  const readinessProbe = { tcpSocket: { port: spec.port }, periodSeconds: 5 };
  return {
    labels: { ...buildLabels(metadata.name), ...gate.labels },
    container: { name: CONTAINER, image: spec.image, ports },
    defaults: {
      pod: gate.pod,
      container: { ...gate.container, ...(!hasProbe(others) && { readinessProbe }) },
    },
  };
}

/**
 * A probe has one way of asking
 * (https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/#check-mechanisms):
 * next to another one the API server would refuse ours.
 */
function hasProbe(others: PodSpec): boolean {
  const probe = findApp(others)?.readinessProbe ?? {};
  return ['httpGet', 'exec', 'grpc'].some((mechanism) => mechanism in probe);
}

/**
 * Its selector is that of the Deployment: a looser one would catch the pods of others. Routes refer to the
 * port by its name.
 */
export function desireService({ metadata, spec }: WebApp): KubeObject & { spec: object } {
  const { name, namespace } = metadata;
  const { type, annotations } = spec.service ?? {};
  const labels = buildLabels(name);
  const port = chooseServicePort(spec);
  const ports = [{ name: 'http', port, targetPort: spec.port, protocol: 'TCP' }];
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, labels, ...(annotations && { annotations }) },
    spec: { selector: labels, ports, ...(type && { type }) },
  };
}

/** The port at which clients inside the cluster reach the Service. */
export function chooseServicePort({ port, service }: WebApp['spec']): number {
  return service?.port ?? port;
}

/** `a=b,c=d`, the form that the scale subresource wants. */
export function buildSelector({ metadata }: WebApp): string {
  return formatLabelSelector(buildLabels(metadata.name));
}

/** The name is a Service's, so at most 63 characters and a valid label value. */
function buildLabels(name: string): Readonly<Record<string, string>> {
  return { app: name, 'app.kubernetes.io/managed-by': webAppManagedBy };
}
