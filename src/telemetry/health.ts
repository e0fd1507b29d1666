import type { Answer } from './http-server.ts';

/** Returns one sentence that names what is wrong, or undefined if nothing is. Quick: it is asked every few seconds. */
export type HealthCheck = () => string | undefined;

type HealthChecks = Readonly<Record<string, HealthCheck>>;

interface HealthQuestion {
  /** `healthz` or `readyz`: names the verdict in the answer. */
  readonly endpoint: string;
  /** The check of a sub-path, `/readyz/<check>`; undefined asks for all of them. */
  readonly check?: string;
  readonly isVerbose?: boolean;
}

interface HealthAnswer {
  readonly status: 200 | 404 | 500;
  readonly body: string;
}

export interface Health {
  /** /healthz: whether a restart would help. */
  readonly liveness: HealthChecks;
  /** /readyz: whether the operator does its work. */
  readonly readiness: HealthChecks;
}

/** Serves /healthz and /readyz, each with a sub-path per check and `?verbose`. */
export function serveHealth({ liveness, readiness }: Health): (url: URL) => Answer {
  const endpoints = new Map([
    ['healthz', liveness],
    ['readyz', readiness],
  ]);
  return (url) => {
    const question = parseQuestion(url);
    const checks = question && endpoints.get(question.endpoint);
    if (!checks) return { status: 404, body: 'this port serves /healthz and /readyz\n' };
    return answerHealth(checks, question);
  };
}

/** `/readyz`, `/readyz/` or `/readyz/<check>`; undefined for any other form of path. */
function parseQuestion(url: URL): HealthQuestion | undefined {
  const [, endpoint, check] = /^\/(\w+)(?:\/([\w.-]*))?$/.exec(url.pathname) ?? [];
  if (endpoint === undefined) return undefined;
  return {
    endpoint,
    ...(check ? { check } : {}),
    isVerbose: url.searchParams.has('verbose'),
  };
}

/**
 * Answers as controller-runtime does (https://pkg.go.dev/sigs.k8s.io/controller-runtime/pkg/healthz),
 * save that `verbose` and the sub-path of a check also say why it fails: a plain answer lands in
 * events of the pod, where reasons do not belong, and a person who asks for more gets more.
 */
function answerHealth(checks: HealthChecks, question: HealthQuestion): HealthAnswer {
  if (question.check !== undefined) return answerCheck(checks, question.check);
  const { endpoint, isVerbose = false } = question;
  const results = Object.entries(checks).map(([name, check]) => ({ name, fault: runCheck(check) }));
  const lines = results.map(({ name, fault }) =>
    fault === undefined
      ? `[+]${name} ok`
      : `[-]${name} failed: ${isVerbose ? fault : 'reason withheld'}`,
  );
  const hasFailed = results.some(({ fault }) => fault !== undefined);
  if (!hasFailed && !isVerbose) return { status: 200, body: 'ok' };
  const verdict = `${endpoint} check ${hasFailed ? 'failed' : 'passed'}`;
  return { status: hasFailed ? 500 : 200, body: `${[...lines, verdict].join('\n')}\n` };
}

function answerCheck(checks: HealthChecks, name: string): HealthAnswer {
  const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
  if (check === undefined) return { status: 404, body: `no check is named ${name}\n` };
  const fault = runCheck(check);
  return fault === undefined ? { status: 200, body: 'ok' } : { status: 500, body: `${fault}\n` };
}

/** A check that throws has failed; its message may hold anything and is not shown. */
function runCheck(check: HealthCheck): string | undefined {
  try {
    return check();
  } catch {
    return 'the check itself threw an error';
  }
}
