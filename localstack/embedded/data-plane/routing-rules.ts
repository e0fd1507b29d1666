import type { IncomingMessage } from 'node:http';
import type {
  Action,
  Condition,
  FixedResponse,
  Redirect,
  Request,
  Rule,
} from '../../../src/routing/rule.ts';
import type { Listener } from '../listeners/listener.ts';
import type {
  ForwardAction,
  Action as StoredAction,
  Condition as StoredCondition,
  Rule as StoredRule,
} from '../rules/rule.ts';
import { headerOf, pairsOf, rawHeadersOf } from './forwarded-headers.ts';

const translated = new WeakMap<StoredRule, Rule>();

/** A stored rule in the form in which src/routing decides by it. */
export function routingRule(stored: StoredRule): Rule {
  const known = translated.get(stored);
  if (known !== undefined) return known;
  const rule = translateRule(stored);
  translated.set(stored, rule);
  return rule;
}

/** What rules can see of a request to this listener. */
export function routingRequest(message: IncomingMessage, { protocol, port }: Listener): Request {
  const [path = '/', query = ''] = splitOnce(message.url ?? '/', '?');
  const headers = rawHeadersOf(message);
  return {
    ...{ protocol, port, path, query },
    method: message.method ?? 'GET',
    host: headerOf(headers, 'host') ?? '',
    headers: pairsOf(headers),
    sourceIp: message.socket.remoteAddress ?? '',
  };
}

function translateRule({ priority, conditions, actions, transforms }: StoredRule): Rule {
  const [action] = actions;
  const modelled = conditions.filter((condition) => !hasRegexes(condition));
  const translatedConditions = modelled.map(translateCondition);
  if (action === undefined || modelled.length < conditions.length || transforms.length > 0) {
    return { priority, conditions: translatedConditions, action: NOT_MODELLED };
  }
  return { priority, conditions: translatedConditions, action: translateAction(action) };
}

/** The action of a rule with parts that the data plane does not model. */
const NOT_MODELLED: Action = {
  type: 'fixed-response',
  response: {
    statusCode: 500,
    contentType: 'text/plain',
    body: "RegexValues and transforms are not modelled by albridge's embedded stand-in",
  },
};

function hasRegexes(condition: StoredCondition): boolean {
  return Object.values(condition).some((part) => {
    return typeof part === 'object' && part !== null && 'RegexValues' in part;
  });
}

interface Config {
  readonly Values: readonly string[];
}

interface HeaderConfig extends Config {
  readonly HttpHeaderName: string;
}

interface QueryConfig {
  readonly Values: readonly { readonly Key?: string; readonly Value: string }[];
}

function translateCondition(condition: StoredCondition): Condition {
  const field = condition.Field as Condition['field'];
  const config = (name: string): Config => condition[name] as Config;
  switch (field) {
    case 'host-header':
      return { field, values: config('HostHeaderConfig').Values };
    case 'path-pattern':
      return { field, values: config('PathPatternConfig').Values };
    case 'http-request-method':
      return { field, values: config('HttpRequestMethodConfig').Values };
    case 'source-ip':
      return { field, values: config('SourceIpConfig').Values };
    case 'http-header': {
      const { HttpHeaderName: name, Values: values } = condition[
        'HttpHeaderConfig'
      ] as HeaderConfig;
      return { field, name, values };
    }
    case 'query-string': {
      const { Values } = condition['QueryStringConfig'] as QueryConfig;
      const values = Values.map(({ Key, Value }) => ({
        ...(Key !== undefined && { key: Key }),
        value: Value,
      }));
      return { field, values };
    }
  }
}

function translateAction(action: StoredAction): Action {
  switch (action.kind) {
    case 'forward':
      return { type: 'forward', targetGroups: action.groups, ...stickinessOf(action) };
    case 'redirect': {
      const { protocol, host, port, path, query } = action;
      const statusCode: Redirect['statusCode'] = action.statusCode === 'HTTP_301' ? 301 : 302;
      return { type: 'redirect', redirect: { statusCode, protocol, host, port, path, query } };
    }
    case 'fixed-response': {
      const { contentType, messageBody } = action;
      const response: FixedResponse = {
        statusCode: Number(action.statusCode),
        ...(contentType !== undefined && { contentType }),
        ...(messageBody !== undefined && { body: messageBody }),
      };
      return { type: 'fixed-response', response };
    }
  }
}

function stickinessOf({ stickiness: { enabled, durationSeconds } }: ForwardAction): {
  readonly stickinessSeconds?: number;
} {
  return enabled && durationSeconds !== undefined ? { stickinessSeconds: durationSeconds } : {};
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
