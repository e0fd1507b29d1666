import type { Options } from './command.ts';

/** The options of every command. */
export const commonOptions = {
  output: {
    type: 'string',
    short: 'o',
    value: 'FORMAT',
    choices: ['table', 'json', 'yaml'],
    help: 'table, json or yaml (default table)',
  },
  namespace: {
    type: 'string',
    short: 'n',
    value: 'NAMESPACE',
    help: 'the namespace (default that of the context)',
  },
  'all-namespaces': { type: 'boolean', short: 'A', help: 'all namespaces' },
  context: { type: 'string', value: 'NAME', help: 'another context of the kubeconfig' },
  kubeconfig: { type: 'string', value: 'PATH', help: 'another kubeconfig (default $KUBECONFIG)' },
  help: { type: 'boolean', short: 'h', help: 'this text' },
} as const satisfies Options;
