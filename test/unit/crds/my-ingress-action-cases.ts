import {
  casesOf,
  type Draft,
  http,
  type RuleTable,
  web,
  withRule,
  withTraffic,
} from './rule-case.ts';

/** An object with one action, in a rule or as the default. */
type WithAction = (action: object) => Draft;

const only = [{ backend: 'web' }];
const canary = [
  { backend: 'web', weight: 90 },
  { backend: 'api', weight: 10 },
];
const backends = [web, { ...web, name: 'api' }];
const teapot = { statusCode: 418, contentType: 'text/plain', body: 'short and stout' };

function choiceCases(place: string, withAction: WithAction): RuleTable {
  return {
    [`${place}: give exactly one of forward`]: {
      accepts: {
        forward: { why: 'one', object: withAction({ forward: only }) },
        redirect: { why: 'one', object: withAction({ redirect: { statusCode: 301, path: '/' } }) },
        fixedResponse: {
          why: 'one, with all it has',
          object: withAction({ fixedResponse: teapot }),
        },
      },
      rejects: {
        none: { why: 'AWS needs an action', object: withAction({}) },
        two: { why: 'AWS takes one', object: withAction({ forward: only, fixedResponse: teapot }) },
      },
    },
  };
}

function forwardCases(place: string, withAction: WithAction): RuleTable {
  const forwarding = (forward: readonly object[]): Draft => withAction({ forward });
  const [first, ...others] = canary;
  return {
    [`${place}.forward: with two or more backends`]: {
      accepts: {
        'two weights': { why: 'a canary', object: forwarding(canary) },
        'one without': { why: 'it gets everything', object: forwarding(only) },
      },
      rejects: {
        'a weight left out': { why: 'AWS refuses it', object: forwarding([...only, ...others]) },
      },
    },
    [`${place}.forward: each backend may be listed once`]: {
      accepts: { different: { why: 'each once', object: forwarding(canary) } },
      rejects: {
        repeated: {
          why: 'its share is in two places',
          object: forwarding([...canary, { ...first }]),
        },
      },
    },
  };
}

function redirectTextCases(place: string, withAction: WithAction): RuleTable {
  const redirecting = (fields: object): Draft => {
    return withAction({ redirect: { statusCode: 301, port: 8443, ...fields } });
  };
  const host = (text: string): Draft => redirecting({ host: text });
  const path = (text: string): Draft => redirecting({ path: text });
  const query = (text: string): Draft => redirecting({ query: text });
  const wrong = 'a placeholder that AWS does not know here';
  return {
    [`${place}.redirect.host: must be letters`]: {
      accepts: casesOf({ 'www.#{host}': 'a placeholder', 'example.com': 'another host' }, host),
      rejects: casesOf({ '#{path}.example.com': wrong, 'a/b': 'a path', '': 'empty' }, host),
    },
    [`${place}.redirect.path: must start with a slash`]: {
      accepts: casesOf({ '/': 'the root', '/#{host}/#{port}/#{path}': 'every placeholder' }, path),
      rejects: casesOf(
        { new: 'no slash', '/#{query}': wrong, '/a b': 'a space', '/#top': 'a fragment' },
        path,
      ),
    },
    [`${place}.redirect.query: must be visible`]: {
      accepts: casesOf(
        { '': 'none', '#{query}&from=#{protocol}': 'placeholders', 'a=?': 'any' },
        query,
      ),
      rejects: casesOf(
        { '?a=1': 'a question mark first', 'a b': 'a space', '#{scheme}': wrong },
        query,
      ),
    },
  };
}

function redirectChangeCases(place: string, withAction: WithAction): RuleTable {
  const redirecting = (fields: object): Draft => {
    return withAction({ redirect: { statusCode: 302, ...fields } });
  };
  return {
    [`${place}.redirect: changes none`]: {
      accepts: {
        'the protocol': { why: 'a change', object: redirecting({ protocol: 'HTTPS' }) },
        'the port': { why: 'a change', object: redirecting({ port: 8443 }) },
        'the host': { why: 'a change', object: redirecting({ host: 'www.#{host}' }) },
        'the path': { why: 'a change', object: redirecting({ path: '/new/#{path}' }) },
      },
      rejects: {
        nothing: { why: 'a loop', object: redirecting({}) },
        'the query alone': { why: 'AWS does not count it', object: redirecting({ query: 'a=1' }) },
        'placeholders alone': {
          why: 'they stand for what the request has',
          object: redirecting({ host: '#{host}', path: '/#{path}' }),
        },
      },
    },
  };
}

function responseCases(place: string, withAction: WithAction): RuleTable {
  const answering = (statusCode: number): Draft => withAction({ fixedResponse: { statusCode } });
  return {
    [`${place}.fixedResponse.statusCode: is a redirect`]: {
      accepts: {
        '299': { why: 'the last of 2xx', object: answering(299) },
        '400': { why: 'the first of 4xx', object: answering(400) },
      },
      rejects: {
        '300': { why: 'AWS refuses it', object: answering(300) },
        '399': { why: 'AWS refuses it', object: answering(399) },
      },
    },
  };
}

/** What is the same in a rule and in the default actions; `place` is where it stands in the schema. */
function casesAt(place: string, withAction: WithAction): RuleTable {
  return {
    ...choiceCases(place, withAction),
    ...forwardCases(place, withAction),
    ...redirectTextCases(place, withAction),
    ...redirectChangeCases(place, withAction),
    ...responseCases(place, withAction),
  };
}

/** Rules that look at one action. */
export const actionCases: RuleTable = {
  ...casesAt('spec.rules[]', (action) => {
    const { spec } = withRule({ forward: undefined, ...action });
    return { spec: { ...spec, backends, defaultAction: { forward: only } } };
  }),
  ...casesAt('spec.defaultAction', (defaultAction) => withTraffic({ backends, defaultAction })),
  ...casesAt('spec.listeners[].defaultAction', (defaultAction) =>
    withTraffic({
      backends,
      listeners: [{ ...http, defaultAction }],
      defaultAction: { forward: only },
    }),
  ),
};
