type Environment = Record<string, string | undefined>;

/**
 * What would lead to somebody's real cluster or account: their cluster, their AWS, their operator's settings; or, where
 * a hook of git runs the tests, to its repository: https://git-scm.com/docs/githooks#_description
 */
const CALLERS_SETTINGS =
  /^(KUBECONFIG$|KUBERNETES_(SERVICE|PORT)|AWS_|ALBRIDGE_|POD_NAME|GIT_(?!CONFIG))/;
/** Where the control plane's binaries come from is a setting of the tests themselves. */
const KEPT = /^ALBRIDGE_(DOWNLOAD|TEST)_/;

/**
 * Without these settings the SDK would still read ~/.aws and ask the instance's metadata service
 * (https://docs.aws.amazon.com/sdkref/latest/guide/settings-reference.html).
 */
const NOBODYS_AWS: Environment = {
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
  AWS_EC2_METADATA_DISABLED: 'true',
};

/** The environment of `env` for tests, demo and sandbox: nothing in it reaches the caller's cluster or account. */
export function cleanEnvironment(env: Readonly<Environment>): Environment {
  const kept = Object.entries(env).filter(([name]) => !isCallers(name));
  return { ...Object.fromEntries(kept), ...NOBODYS_AWS };
}

/** Does the same in place, to this process's own environment. */
export function removeCallersSettings(env: Environment): void {
  for (const name of Object.keys(env).filter(isCallers)) delete env[name];
  Object.assign(env, NOBODYS_AWS);
}

function isCallers(name: string): boolean {
  return CALLERS_SETTINGS.test(name) && !KEPT.test(name);
}
