import type { AwsSettings } from './aws-world.ts';
import { DEFAULT_LIMITS } from './faults/default-limits.ts';
import { STALE_HORIZON_MS } from './load-balancers/balancer-store.ts';

const DEFAULT_SETTINGS: AwsSettings = {
  provisioningMs: 2000,
  budget: 'aws',
  quota: 50,
  interfacesLingerMs: 0,
  propagationMs: 0,
  firstCheckMs: 0,
  // Of CloudFront's lists: https://docs.aws.amazon.com/vpc/latest/userguide/working-with-aws-managed-prefix-lists.html
  prefixListEntries: 55,
  limits: {},
};

/** The settings in force. */
export class SettingsHolder {
  #current: AwsSettings = DEFAULT_SETTINGS;

  get current(): AwsSettings {
    return this.#current;
  }

  /** Replaces the given fields. Throws a RangeError that names a bad one. */
  change(patch: Partial<AwsSettings>): void {
    for (const field of Object.keys(patch)) {
      if (!Object.hasOwn(DEFAULT_SETTINGS, field)) {
        throw new RangeError(`unknown setting "${field}"`);
      }
    }
    this.#current = checked({ ...this.#current, ...patch });
  }
}

function checked(settings: AwsSettings): AwsSettings {
  checkNumber('provisioningMs', settings.provisioningMs);
  checkNumber('quota', settings.quota);
  checkNumber('interfacesLingerMs', settings.interfacesLingerMs);
  checkNumber('propagationMs', settings.propagationMs);
  checkNumber('firstCheckMs', settings.firstCheckMs);
  checkNumber('prefixListEntries', settings.prefixListEntries);
  if (settings.propagationMs > STALE_HORIZON_MS) {
    throw new RangeError(`propagationMs must be at most ${STALE_HORIZON_MS}`);
  }
  for (const [name, max] of Object.entries(settings.limits)) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) throw new RangeError(`unknown limit "${name}"`);
    checkNumber(`limits.${name}`, max);
  }
  if (settings.budget !== 'aws' && settings.budget !== 'off') {
    throw new RangeError(`budget must be "aws" or "off", not "${String(settings.budget)}"`);
  }
  return settings;
}

function checkNumber(field: string, value: unknown): void {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return;
  throw new RangeError(`${field} must be a number of at least 0, not ${JSON.stringify(value)}`);
}
