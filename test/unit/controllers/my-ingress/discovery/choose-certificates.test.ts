import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Certificate } from '../../../../../src/aws/acm/certificates.ts';
import { chooseCertificates } from '../../../../../src/controllers/my-ingress/discovery/choose-certificates.ts';

const NOW = 1_000;

function issued(
  arn: string,
  names: readonly string[],
  [from, to = 2_000]: readonly [number, number?] = [0],
): Certificate {
  return { arn, names, notBeforeMs: from, notAfterMs: to };
}

interface Case {
  readonly why: string;
  readonly hosts: readonly string[];
  readonly issued: readonly Certificate[];
  readonly chooses: readonly string[];
  readonly missing?: readonly string[];
}

const cases: Readonly<Record<string, Case>> = {
  'the name itself before a wildcard, however new that is': {
    why: 'who has a certificate for one name wants it there',
    hosts: ['a.example.com'],
    issued: [issued('wide', ['*.example.com'], [500]), issued('exact', ['a.example.com'])],
    chooses: ['exact'],
  },
  'the newest of several': {
    why: 'a renewed certificate is imported beside the old one',
    hosts: ['a.example.com'],
    issued: [issued('old', ['a.example.com'], [1]), issued('new', ['a.example.com'], [2])],
    chooses: ['new'],
  },
  'one that is valid now': {
    why: 'clients refuse the others',
    hosts: ['a.example.com'],
    issued: [
      issued('over', ['a.example.com'], [3, NOW]),
      issued('early', ['a.example.com'], [NOW + 1]),
      issued('valid', ['*.example.com'], [1]),
    ],
    chooses: ['valid'],
  },
  'that of the first host first, each once': {
    why: 'the first one is the default certificate',
    hosts: ['b.example.org', 'a.example.com', 'c.example.org'],
    issued: [issued('com', ['*.example.com']), issued('org', ['*.example.org'])],
    chooses: ['org', 'com'],
  },
  'one for a pattern in the first label': {
    why: 'a wildcard covers each of its names',
    hosts: ['*.example.com', 'api-*.example.org', 'SHOP-?.Example.com'],
    issued: [issued('com', ['*.example.com']), issued('org', ['*.example.org'])],
    chooses: ['com', 'org'],
  },
  'none for two labels in place of a wildcard': {
    why: 'clients refuse it',
    hosts: ['a.b.example.com', 'example.com', '*', 'a.*.com'],
    issued: [issued('wide', ['*.example.com'])],
    chooses: [],
    missing: ['a.b.example.com', 'example.com', '*', 'a.*.com'],
  },
};

describe('certificates by hosts', () => {
  it.each(Object.entries(cases))('are %s', (_name, { hosts, issued: all, chooses, missing }) => {
    const choice = chooseCertificates(hosts, all, NOW);
    expect(choice.chosen.map(({ arn }) => arn)).toEqual(chooses);
    expect(choice.missing).toEqual(missing ?? []);
  });

  const names = fc.subarray(['a.com', 'b.com', '*.com', 'a.b.com', '*.b.com'], { minLength: 1 });
  const certificates = fc.uniqueArray(
    fc.record({
      arn: fc.stringMatching(/^arn:[0-9]{2}$/),
      names,
      notBeforeMs: fc.nat({ max: 3 }),
      notAfterMs: fc.constantFrom(NOW - 1, NOW + 1),
    }),
    { selector: ({ arn }) => arn, maxLength: 8 },
  );
  const hosts = fc.array(fc.constantFrom('a.com', 'b.com', 'c.com', 'c.b.com', '*.com', 'c.d.com'));

  it('cover each host or name it, whatever the order of the list', () => {
    fc.assert(
      fc.property(hosts, certificates, (asked, all) => {
        const { chosen, missing } = chooseCertificates(asked, all, NOW);
        const reversed = chooseCertificates(asked, all.toReversed(), NOW);
        expect(reversed).toMatchObject({ chosen, missing });
        for (const host of asked) {
          const isCovered = chosen.some((one) => {
            return one.names.includes(host) || one.names.includes(host.replace(/^[^.]+/, '*'));
          });
          expect(isCovered).toBe(!missing.includes(host));
        }
        expect(chosen.every(({ notAfterMs }) => notAfterMs > NOW)).toBe(true);
      }),
    );
  });

  it('are spare where they cover no host without a valid one', () => {
    const all = [
      issued('new', ['a.example.com'], [2]),
      issued('old', ['a.example.com'], [1]),
      issued('over', ['b.example.com', 'a.example.com'], [1, NOW]),
      issued(
        'wide',
        Array.from({ length: 100 }, (_, n) => `${n}.example.org`),
      ),
    ];
    const { spare } = chooseCertificates(['a.example.com', 'b.example.com'], all, NOW);
    expect(spare).toEqual({ arns: ['old'], isDefault: true });
    const reversed = chooseCertificates(['b.example.com', 'a.example.com'], all, NOW);
    expect(reversed.spare).toEqual({ arns: ['old'], isDefault: false });
  });

  it('are spare beside a pattern without a valid one where others have all of their names', () => {
    const all = [
      issued('new', ['a.example.com'], [2]),
      issued('old', ['a.example.com'], [1]),
      issued('part', ['b.example.com']),
    ];
    const { spare } = chooseCertificates(['a.example.com', '*.example.com'], all, NOW);
    expect(spare).toEqual({ arns: ['old'], isDefault: true });
  });

  it('never include one that covers none of the hosts', () => {
    fc.assert(
      fc.property(hosts, certificates, (asked, all) => {
        const { chosen } = chooseCertificates(asked, all, NOW);
        const covering = new Set(
          asked.flatMap((host) => [host, `*.${host.split('.').slice(1).join('.')}`]),
        );
        expect(chosen.filter(({ names: of }) => !of.some((name) => covering.has(name)))).toEqual(
          [],
        );
      }),
    );
  });
});
