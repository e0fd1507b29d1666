import { describe, expect, it } from 'vitest';
import { collectReasons } from './given-reasons.ts';
import { type Given, reasonFaults, sourceFiles } from './reason-faults.ts';

const files = sourceFiles();
const given: Given = new Map([...files].map(([path, text]) => [path, collectReasons(text)]));

/** As if the file were also in the tree, or were other than it is. */
function faultsWith(path: string, text: string, others = given): readonly string[] {
  return reasonFaults(new Map([...others, [path, collectReasons(text)]]));
}

/** As if nothing in the tree gave it. */
function without(reason: string): Given {
  const others = [...given].map(([path, words]) => {
    return [path, new Set([...words].filter((word) => word !== reason))] as const;
  });
  return new Map(others);
}

function neverGiven(reason: string): string {
  return `${reason} is listed in docs/reasons.md and never given`;
}

describe('docs/reasons.md', () => {
  it('lists every reason that the code gives, and no other', () => {
    expect(files.size).toBeGreaterThan(150);
    expect(reasonFaults(given)).toEqual([]);
  });

  const forms: Readonly<Record<string, string>> = {
    'an event': "pass.event({ type: 'Normal', reason: 'WORD', action: 'Watch', note });",
    'a failure': "throw createFailure(myAppReasons, 'WORD', { observed });",
    'a failure without a table': "throw createFailure('WORD', observed);",
    'a problem': 'return createProblem("WORD", `Service ${name} has none`);',
    'an error': "throw new OperatorError({ reason: 'WORD', message, healedBy: 'time' });",
    'a wait': "return waiting('WORD', message, 1_000);",
    'a choice': "pass.setCondition({ type, status, reason: isIt ? 'Running' : 'WORD', message });",
    'a choice in a variable': "const reason = isIt ? 'WORD' : 'Running';",
    'a choice over lines': "const reason =\n  isIt\n    ? 'Running'\n    : 'WORD';",
    'a nested choice': "const reason = isIt ? 'Running' : isThat ? 'WORD' : 'Starting';",
    'a choice by a comparison': "const reason = name === 'http' ? 'WORD' : 'Running';",
    'a choice of pairs': "const [reason, message] = isIt ? ['Running', ''] : ['WORD', text];",
    'a pair of words': "const [reason, message] = ['WORD', 'it is so'];",
    'a fallback': "const reason = REASONS[code] ?? 'WORD';",
    'a default': "const { reason = 'WORD' } = condition;",
    'the result of a function': "const readReason = () => 'WORD';",
    'an issue': "const issue = 'WORD';",
    'a returned word': "return 'WORD';",
    'a case': "switch (code) { case 'Other': return 'WORD'; }",
    'a table': "const REASONS = { NotFound: 'WORD' } as const;",
    'a word with its type': "give('WORD' satisfies MyAppReason);",
    'a word after an address': "fetch('http://localhost'); give('WORD');",
  };

  describe.each(Object.entries(forms))('finds %s', (_name, form) => {
    it.each(['src/controllers/my-app/added.ts', 'src/kube/added.ts'])(
      'not listed, in %s',
      (path) => {
        expect(faultsWith(path, write(form, 'Whatever'))).toEqual([
          `${path}: Whatever is neither a reason of docs/reasons.md nor in OTHER_WORDS`,
        ]);
      },
    );

    it('that is listed, and nothing else gives', () => {
      const others = without('NodesUnknown');
      expect(reasonFaults(others)).toEqual([neverGiven('NodesUnknown')]);
      expect(faultsWith('src/controllers/added.ts', write(form, 'NodesUnknown'), others)).toEqual(
        [],
      );
    });
  });

  it('finds a reason that only another kind lists', () => {
    const path = 'src/controllers/my-app/added.ts';
    expect(faultsWith(path, write(forms['a wait'] ?? '', 'PDBBlocked'))).toEqual([
      `${path}: PDBBlocked is neither a reason of docs/reasons.md nor in OTHER_WORDS`,
    ]);
  });

  const mentions: Readonly<Record<string, string>> = {
    'a set': "const ABOUT: ReadonlySet<string> = new Set(['WORD', 'ValidationError']);",
    'a list': "const LASTING = ['WORD'] as const satisfies readonly MyIngressReason[];",
    'a list of the core': 'const OF_A_PLAN = [CoreReason.WORD, CoreReason.Planned];',
    'the codes of a reason': "const codesByReason = { AwsError: ['WORD', 'ECONNRESET'] };",
    'a comparison': "if (error.reason === 'WORD' || 'WORD' !== error.reason) retry();",
    'a comparison with the core': 'if (error.reason === CoreReason.WORD) retry();',
    'a case': "switch (error.reason) { case 'WORD': retry(); }",
    'a question': "if (hasReason(error, 'WORD') || REASONS.has('WORD')) retry();",
    'a type': "type Reason = 'WORD' | 'Running'; const reason: 'WORD' = give<'WORD'>();",
    'a key': 'const STEPS = { WORD: "wait" };',
    'a lookup': "const step = STEPS['WORD'];",
    'the type of a condition': "find({ type: 'WORD' });",
    'a comment': "// return waiting('WORD', message, 1_000);",
  };

  it.each(Object.entries(mentions))(
    'does not take %s for a reason that is given',
    (_name, form) => {
      const text = write(form, 'NodesUnknown');
      expect(faultsWith('src/controllers/added.ts', text, without('NodesUnknown'))).toEqual([
        neverGiven('NodesUnknown'),
      ]);
    },
  );

  /** Where the code gives each, once, and mentions some in lists, comparisons and tables besides. */
  const places: Readonly<Record<string, readonly [path: string, word: string]>> = {
    NoReadyNodes: ['controllers/targets/desired-targets.ts', "Problem('NoReadyNodes'"],
    Provisioning: ['controllers/my-ingress/status.ts', "waiting('Provisioning'"],
    Registering: ['controllers/my-ingress/traffic/status.ts', "waiting('Registering'"],
    InvalidTarget: ['aws/client/aws-codes.ts', 'InvalidTarget:'],
    DuplicateName: ['aws/client/aws-codes.ts', 'DuplicateName:'],
    NoListener: ['controllers/my-ingress/attaching/decide.ts', "reason: 'NoListener'"],
    RolloutComplete: ['controllers/config-monitor/rollout.ts', "reason: 'RolloutComplete'"],
    Planned: ['core/controller/verdict.ts', 'CoreReason.Planned'],
    AddressUnusable: ['telemetry/http-server.ts', "reason: 'AddressUnusable'"],
  };

  it.each(Object.entries(places))(
    'finds that the code gives %s no more',
    (reason, [name, word]) => {
      const path = `src/${name}`;
      const text = files.get(path) ?? '';
      expect(text.split(word)).toHaveLength(2);
      const other = text.replace(word, word.replace(reason, 'InternalError'));
      expect(faultsWith(path, other)).toEqual([neverGiven(reason)]);
    },
  );
});

function write(form: string, word: string): string {
  return `function give() { ${form.replaceAll('WORD', word)}\n}`;
}
