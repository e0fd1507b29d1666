import { describe, expect, it } from 'vitest';
import { drawTree } from '../../../../src/cli/objects/tree.ts';
import { chooseStyle } from '../../../../src/cli/output/style.ts';
import { wrapLine, wrapTable } from '../../../../src/cli/output/wrap.ts';

const ARN =
  'arn:aws:elasticloadbalancing:eu-central-1:111122223333:loadbalancer/app/shop/50dc6c495c0c9188';
const write = (): void => {};
const plain = chooseStyle({ write }, {});

describe('a line that is longer than the terminal is wide', () => {
  const text = 'next: check that the selector of the Service matches pods';

  it('goes on below, in whole words, under its indentation', () => {
    expect(wrapLine(text, { columns: 32, indent: '      ' })).toBe(
      'next: check that the selector of\n      the Service matches pods',
    );
    expect(wrapLine(text, { columns: text.length, indent: '      ' })).toBe(text);
  });

  it('stays whole where the output is not a terminal', () => {
    expect(wrapLine(text, { columns: undefined, indent: '' })).toBe(text);
  });

  it('keeps an ARN in one piece, and gives text at least half of a narrow terminal', () => {
    expect(wrapLine(`the balancer ${ARN} is gone`, { columns: 40, indent: '    ' })).toBe(
      `the balancer\n    ${ARN}\n    is gone`,
    );
    expect(wrapLine('one two three four', { columns: 10, indent: ' '.repeat(8) })).toBe(
      'one two\n  three\n  four',
    );
  });

  it('is measured without its colours, which are not torn apart', () => {
    const red = chooseStyle({ isTTY: true, write }, {}).bad('not as desired');
    expect(wrapLine(`it is ${red}`, { columns: 20, indent: '' })).toBe(`it is ${red}`);
    expect(wrapLine(`it is ${red}`, { columns: 19, indent: '' })).toBe(`it is\n  ${red}`);
  });
});

describe('a tree on a terminal', () => {
  const message = 'Service gone does not exist; create the Service';
  const leaf = { kind: 'backend', name: 'gone', message };

  it('keeps its lines where a node needs several', () => {
    const below = { kind: 'rule', name: 'gone', message, children: [leaf] };
    const root = { kind: 'MyIngress', name: 'web', children: [below, leaf] };
    expect(drawTree(root, plain, 40)).toBe(
      [
        'MyIngress web',
        '├─ rule gone  Service gone does not',
        '│  │  exist; create the Service',
        '│  └─ backend gone  Service gone does',
        '│        not exist; create the Service',
        '└─ backend gone  Service gone does not',
        '      exist; create the Service',
        '',
      ].join('\n'),
    );
    const lines = drawTree(root, plain).split('\n');
    expect(lines[1]).toBe(`├─ rule gone  ${message}`);
  });
});

describe('a table on a terminal', () => {
  it('wraps its last column in its place', () => {
    const rows = [
      ['AGE', 'NOTE'],
      ['1m', 'the load balancer is active'],
      ['2m', ''],
    ];
    expect(wrapTable(rows, 26)).toBe('AGE  NOTE\n1m   the load balancer is\n     active\n2m\n');
    expect(wrapTable(rows, undefined)).toBe('AGE  NOTE\n1m   the load balancer is active\n2m\n');
    expect(wrapTable(rows, 80)).toBe(wrapTable(rows, undefined));
  });

  it('puts it below the row where an ARN has no room in its place', () => {
    const rows = [
      ['KIND', 'ID'],
      ['load-balancer', ARN],
    ];
    expect(wrapTable(rows, 100)).toBe(`KIND\n  ID\nload-balancer\n  ${ARN}\n`);
    expect(wrapTable(rows, 200)).toBe(`KIND           ID\nload-balancer  ${ARN}\n`);
  });
});
