import type { TrafficRecord } from '../traffic/record-store.ts';

/** One target group of Application Load Balancers, with its targets. */
export interface TargetGroup extends TrafficRecord, TargetGroupSettings {
  readonly attributes: ReadonlyMap<string, string>;
  /** By `targetKey`. */
  readonly targets: ReadonlyMap<string, Target>;
}

/** The settings by which a second create means the same group. */
export interface TargetGroupSettings {
  readonly name: string;
  readonly targetType: 'instance' | 'ip';
  readonly protocol: 'HTTP' | 'HTTPS';
  readonly protocolVersion: 'HTTP1' | 'HTTP2' | 'GRPC';
  /** For targets that are registered without one. */
  readonly port: number;
  readonly vpcId: string;
  readonly ipAddressType: 'ipv4' | 'ipv6';
  readonly healthCheck: HealthCheck;
}

export interface HealthCheck {
  readonly protocol: 'HTTP' | 'HTTPS';
  /** A number, or `traffic-port`. */
  readonly port: string;
  readonly path: string;
  readonly intervalSeconds: number;
  readonly timeoutSeconds: number;
  readonly healthyThreshold: number;
  readonly unhealthyThreshold: number;
  /** HTTP codes, of a GRPC group gRPC codes: `200`, `200,202` or `200-299`. */
  readonly matcher: string;
}

export interface Target {
  /** An address, or the id of an instance. */
  readonly id: string;
  readonly port: number;
  /** Found by its subnet, or as given for an address outside the VPC: `all` or a zone. */
  readonly zone: string;
  /** Set for a target that drains: until when, epoch ms. */
  readonly drainsUntilMs?: number;
  /** The result of the health checks; absent until the first. */
  readonly checked?: TargetHealth;
  /** `checked` was set over the control interface, and no health check changes it. */
  readonly isPinned?: boolean;
}

export interface TargetHealth {
  readonly state: 'initial' | 'healthy' | 'unhealthy' | 'unused' | 'draining' | 'unavailable';
  readonly reason?: string;
  readonly description?: string;
}

/** The same id may be registered with several ports. */
export function targetKey(target: Pick<Target, 'id' | 'port'>): string {
  return `${target.id}:${target.port}`;
}

/** The targets that are there at this time, draining ones among them. */
export function presentTargets(group: TargetGroup, nowMs: number): ReadonlyMap<string, Target> {
  const present = [...group.targets].filter(
    ([, { drainsUntilMs }]) => drainsUntilMs === undefined || drainsUntilMs > nowMs,
  );
  return new Map(present);
}
