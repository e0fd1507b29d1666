import type { IncomingMessage } from 'node:http';
import type {
  Action,
  Condition,
  FixedResponse,
  Redirect,
  Regex,
  Request,
  Rewrite,
  Rule,
  Substitution,
} from '../../../src/routing/rule.ts';
import type { Listener } from '../listeners/listener.ts';
import { compileRegex, replaceFirst } from '../rules/regex.ts';
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

/** The parts of a request to this listener that rules can match. */
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
  const translatedConditions = conditions.map(translateCondition);
  if (action === undefined) throw new Error('a rule has an action');
  return {
    ...{ priority, conditions: translatedConditions, action: translateAction(action) },
    ...(transforms.length > 0 && { rewrite: translateTransforms(transforms) }),
  };
}

interface RewriteConfig {
  readonly Rewrites: readonly { readonly Regex: string; readonly Replace: string }[];
}

export function translateTransforms(transforms: StoredRule['transforms']): Rewrite {
  const find = (config: string): Substitution | undefined => {
    const found = transforms.find((one) => one[config] !== undefined)?.[config];
    const [rewrite] = (found as RewriteConfig | undefined)?.Rewrites ?? [];
    return rewrite && { apply: (text) => replaceFirst(rewrite, text) };
  };
  const [host, url] = [find('HostHeaderRewriteConfig'), find('UrlRewriteConfig')];
  return { ...(host && { host }), ...(url && { url }) };
}

interface Config {
  readonly Values: readonly string[];
}

interface RegexConfig {
  readonly RegexValues: readonly string[];
  readonly HttpHeaderName?: string;
}

interface HeaderConfig extends Config {
  readonly HttpHeaderName: string;
}

interface QueryConfig {
  readonly Values: readonly { readonly Key?: string; readonly Value: string }[];
}

function translateCondition(condition: StoredCondition): Condition {
  const regexes = Object.values(condition).find(hasRegexes);
  if (regexes !== undefined) return translateRegexes(condition.Field, regexes);
  const field = condition.Field as Exclude<Condition['field'], 'regex'>;
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

function hasRegexes(part: unknown): part is RegexConfig {
  return typeof part === 'object' && part !== null && 'RegexValues' in part;
}

function translateRegexes(field: string, config: RegexConfig): Condition {
  const { RegexValues, HttpHeaderName: header = '' } = config;
  const parts = { 'host-header': 'host', 'path-pattern': 'path' } as const;
  const of = parts[field as keyof typeof parts] ?? { header };
  return { field: 'regex', of, values: RegexValues.map(translateRegex) };
}

export function translateRegex(source: string): Regex {
  const compiled = compileRegex(source);
  return { source, matches: (text) => compiled?.matcher(text).find() ?? false };
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
