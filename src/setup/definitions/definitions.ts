// Lives here: at the start, the comparison of each kind's CRD in the cluster with the fields that this version knows.
// May import it: src/main.ts; src/cli takes kind-fields.ts.
// Start with: this file.

import type { KindName } from '../../apis/kind-names.ts';
import { abridge } from '../../core/objects/abridge.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { KubeClient } from '../../kube/client/kube-client.ts';
import { type FieldDifference, findFieldDifference } from '../../kube/client/served-fields.ts';
import { KIND_FIELDS } from './kind-fields.ts';

/** Names of a long list are left out: it is the version that is wrong. */
const NAMED_FIELDS = 10;

/**
 * Logs each kind whose CRD in the cluster has other fields than this version: after an upgrade of the image alone, or a
 * rollback. The operator works all the same, and docs/upgrade.md says what that means.
 */
export async function reportDefinitions(
  client: KubeClient,
  { kinds, log }: { readonly kinds: readonly KindName[]; readonly log: Logger },
): Promise<void> {
  const ours = KIND_FIELDS.filter(({ kind }) => kinds.some((name) => name === kind.toLowerCase()));
  await Promise.all(
    ours.map(async (row) => {
      try {
        const fields = row.fields.split(' ');
        report(await findFieldDifference(client, { ...row, fields }), log);
      } catch (error) {
        // Not installed, or the API server cannot be reached: its watch reports it, and this is only advice.
        log.debug('the CRD was not compared with this version', { kind: row.kind, err: error });
      }
    }),
  );
}

function report({ kind, missing, unknown }: FieldDifference, log: Logger): void {
  if (missing.length > 0) {
    log.error('the CRD is older than the operator: apply the CRDs of this version', {
      kind,
      missing: abridge(missing, NAMED_FIELDS).join(', '),
    });
  }
  if (unknown.length > 0) {
    log.info('the CRD is newer than the operator, which ignores these fields', {
      kind,
      unknown: abridge(unknown, NAMED_FIELDS).join(', '),
    });
  }
}
