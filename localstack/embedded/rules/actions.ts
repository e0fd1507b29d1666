import type { ReadableWorld } from '../aws-world.ts';
import { AwsFault, notModelled, validationError } from '../http/aws-fault.ts';
import { type Input, requiredText, structuresOf, textOf } from '../input-fields.ts';
import { checkedEnum, checkLength, integerBetween, structureOf } from '../traffic/checked-input.ts';
import { checkForwards, describeForward, readForward } from './forward-action.ts';
import { describeRedirect, readRedirect } from './redirect-action.ts';
import type { Action, ActionPlace, FixedResponseAction } from './rule.ts';

const TYPES = [
  ...(['forward', 'authenticate-oidc', 'authenticate-cognito', 'redirect'] as const),
  ...(['fixed-response', 'jwt-validation'] as const),
];
const MAX_ORDER = 50_000;
const MAX_BODY_LENGTH = 1024;
const CONTENT_TYPES: readonly string[] = [
  ...['text/plain', 'text/css', 'text/html', 'application/javascript', 'application/json'],
];

/**
 * `Actions` of a rule, `DefaultActions` of a listener: one that ends the request. Authentication,
 * which may come before it, is not modelled.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_Action.html
 */
export function readActions(
  world: ReadableWorld,
  inputs: readonly Input[],
  place: ActionPlace,
): readonly Action[] {
  const actions = inputs.map((input) => readAction(world, input, place));
  // Codes and words are unverified.
  if (actions.length === 0) throw validationError('At least one action must be specified');
  if (actions.length > 1) {
    throw invalidAction(
      'Exactly one action of type forward, redirect or fixed-response is allowed',
    );
  }
  checkForwards(world, actions, place);
  return actions;
}

export function describeAction(action: Action): Record<string, unknown> {
  const order = action.order === undefined ? {} : { Order: action.order };
  switch (action.kind) {
    case 'forward':
      return { Type: 'forward', ...order, ...describeForward(action) };
    case 'redirect':
      return { Type: 'redirect', ...order, RedirectConfig: describeRedirect(action) };
    case 'fixed-response':
      return { Type: 'fixed-response', ...order, FixedResponseConfig: describeFixed(action) };
  }
}

function readAction(world: ReadableWorld, input: Input, place: ActionPlace): Action {
  requiredText(input, 'Type');
  const type = checkedEnum(input, 'Type', TYPES) ?? 'forward';
  const order = integerBetween(input, 'Order', [1, MAX_ORDER]);
  return { ...readKind(world, type, { input, place }), ...(order !== undefined && { order }) };
}

function readKind(
  world: ReadableWorld,
  type: (typeof TYPES)[number],
  { input, place }: { readonly input: Input; readonly place: ActionPlace },
): Action {
  switch (type) {
    case 'forward':
      return readForward(world, input);
    case 'redirect':
      return readRedirect(requiredConfig(input, type, 'RedirectConfig'), place);
    case 'fixed-response':
      return readFixed(requiredConfig(input, type, 'FixedResponseConfig'));
    default:
      throw notModelled(`an action of type '${type}'`);
  }
}

/** https://github.com/aws/aws-sdk-js/issues/2204 */
function requiredConfig(input: Input, type: string, field: string): Input {
  const config = structureOf(input, field);
  if (config !== undefined) return config;
  throw invalidAction(
    `For actions of type '${type}', you must specify the following fields: '${field}'`,
  );
}

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_FixedResponseActionConfig.html */
function readFixed(config: Input): FixedResponseAction {
  const statusCode = requiredText(config, 'StatusCode');
  if (!/^[245]\d\d$/.test(statusCode)) {
    throw validationError(`The fixed response code '${statusCode}' must be 2XX, 4XX or 5XX`);
  }
  const messageBody = textOf(config, 'MessageBody');
  checkLength('messageBody', messageBody ?? '', MAX_BODY_LENGTH);
  const contentType = textOf(config, 'ContentType');
  if (contentType !== undefined && !CONTENT_TYPES.includes(contentType)) {
    // As moto 5.2 has it.
    throw invalidAction(
      "The ContentType must be one of:'text/html', 'application/json', 'application/javascript', 'text/css', 'text/plain'",
    );
  }
  return {
    kind: 'fixed-response',
    statusCode,
    ...(messageBody !== undefined && { messageBody }),
    ...(contentType !== undefined && { contentType }),
  };
}

function describeFixed(action: FixedResponseAction): object {
  const { statusCode, messageBody, contentType } = action;
  return {
    ...(messageBody !== undefined && { MessageBody: messageBody }),
    StatusCode: statusCode,
    ...(contentType !== undefined && { ContentType: contentType }),
  };
}

/** `Actions` or `DefaultActions` as given; empty if absent. */
export function actionInputs(input: Input, field: string): readonly Input[] {
  return structuresOf(input, field) ?? [];
}

function invalidAction(message: string): AwsFault {
  return new AwsFault('InvalidLoadBalancerAction', message);
}
