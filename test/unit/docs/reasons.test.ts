import { describe, expect, it } from 'vitest';
import { reasonFaults, sourceFiles } from '../../../docs/reasons.ts';

const files = sourceFiles();

describe('docs/reasons.md', () => {
  it('lists every reason that the code gives, and no other', () => {
    expect(files.size).toBeGreaterThan(150);
    expect(reasonFaults(files)).toEqual([]);
  });

  const additions: Readonly<Record<string, string>> = {
    'an event': "pass.event({ type: 'Normal', reason: 'Whatever', action: 'Watch', note });",
    'a failure': "throw createFailure(myAppReasons, 'Whatever', { observed });",
    'a wait': "return waiting('Whatever', message, 1_000);",
    'a choice':
      "pass.setCondition({ type, status, reason: isIt ? 'Running' : 'Whatever', message });",
    'a reason that only another kind lists': "return waiting('PDBBlocked', message, 1_000);",
  };

  it.each(Object.entries(additions))('is found out where the code adds %s', (_name, line) => {
    const path = 'src/controllers/my-app/added.ts';
    expect(reasonFaults(new Map([...files, [path, line]]))).toEqual([
      expect.stringMatching(/^src\/controllers\/my-app\/added\.ts: (Whatever|PDBBlocked) is not/),
    ]);
  });

  it.each(['RolloutComplete', 'AddressUnusable', 'CredentialsRefused'])(
    'is found out where the code gives %s no more',
    (reason) => {
      const without = [...files].map(
        ([path, text]) => [path, text.replaceAll(reason, '')] as const,
      );
      expect(reasonFaults(new Map(without))).toEqual([
        `${reason} is listed in docs/reasons.md and never given`,
      ]);
    },
  );
});
