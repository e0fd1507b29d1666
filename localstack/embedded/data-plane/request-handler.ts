import type { IncomingMessage } from 'node:http';
import { formatLocation } from '../../../src/routing/answer.ts';
import { decide } from '../../../src/routing/decide.ts';
import { rewriteRequest } from '../../../src/routing/rewrite.ts';
import type { Request, Rule } from '../../../src/routing/rule.ts';
import type { AwsWorld } from '../aws-world.ts';
import { stateOf } from '../load-balancers/balancer-description.ts';
import type { TrafficView } from '../traffic/traffic.ts';
import { headerOf, pairsOf, rawHeadersOf } from './forwarded-headers.ts';
import type { ForwardedExchange, Forwarder } from './forwarding.ts';
import { answerItself, type OwnAnswer } from './own-answer.ts';
import type { ClientExchange } from './relay.ts';
import { routingRequest, routingRule } from './routing-rules.ts';

export interface RequestHandlerParts {
  readonly world: AwsWorld;
  readonly traffic: { readonly current: TrafficView };
  readonly forwarder: Forwarder;
}

/** More addresses in X-Forwarded-For are refused. */
const MAX_FORWARDED_FOR = 30;
/**
 * Of the request line and of each header, and of all of them. That a longer request line is 414, and no 400, is
 * unverified.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-limits.html
 */
const MAX_HEADER_LINE_BYTES = 16_384;
const MAX_HEADER_BYTES = 65_536;

/** Carries out the rule of the listener that matches the request. */
export function handleRequest(
  parts: RequestHandlerParts,
  listenerArn: string,
  client: ClientExchange,
): void {
  const { world, traffic, forwarder } = parts;
  const { message, response } = client;
  const listener = traffic.current.listeners.byArn(listenerArn);
  const balancer = world.balancers.byArn(listener?.balancerArn ?? '');
  if (listener === undefined || balancer === undefined) return void message.socket.destroy();
  // It routes nothing before: https://docs.aws.amazon.com/elasticloadbalancing/latest/application/application-load-balancers.html#load-balancer-state
  const { code } = stateOf(balancer, world.clock.now());
  if (code === 'provisioning' || code === 'failed') return void message.socket.destroy();
  const refusal = refuseRequest(message);
  if (refusal !== undefined) return answerItself(response, refusal);
  const request = routingRequest(message, listener);
  const rules = traffic.current.rules.byKey(listenerArn).map(routingRule);
  carryOut(decide(rules, request).rule, request, {
    exchange: { ...client, listener, balancer },
    forwarder,
  });
}

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-troubleshooting.html#load-balancer-http-error-codes */
function refuseRequest(message: IncomingMessage): OwnAnswer | undefined {
  const framing = refuseFraming(message) ?? refuseSize(message);
  if (framing !== undefined) return { ...framing, isLast: true };
  if (message.method === 'TRACE') return { status: 405 };
  const addresses = headerOf(rawHeadersOf(message), 'x-forwarded-for')?.split(',') ?? [];
  if (addresses.length > MAX_FORWARDED_FOR) return { status: 463 };
  return undefined;
}

/** On the connection of such a request nothing tells the next one from its body. */
function refuseFraming(message: IncomingMessage): OwnAnswer | undefined {
  // Of HTTP/2 alone, streams are of that version; Node takes the number on a connection of HTTP/1.
  if (message.httpVersionMajor > 1 && !('stream' in message)) return { status: 505 };
  const { 'transfer-encoding': encoding = 'identity' } = message.headers;
  return /^(chunked|identity)$/i.test(encoding) ? undefined : { status: 501 };
}

function refuseSize({ method, url = '', rawHeaders }: IncomingMessage): OwnAnswer | undefined {
  const lineBytes = `${method} ${url} HTTP/1.1`.length;
  if (lineBytes > MAX_HEADER_LINE_BYTES) return { status: 414 };
  const bytes = pairsOf(rawHeaders).map(([name, value]) => `${name}: ${value}`.length);
  const isTooLong = bytes.some((one) => one > MAX_HEADER_LINE_BYTES);
  const all = bytes.reduce((sum, one) => sum + one, lineBytes);
  return isTooLong || all > MAX_HEADER_BYTES ? { status: 400 } : undefined;
}

function carryOut(
  { action, rewrite }: Rule,
  request: Request,
  { exchange, forwarder }: { readonly exchange: ForwardedExchange; readonly forwarder: Forwarder },
): void {
  switch (action.type) {
    case 'forward': {
      const rewritten = rewrite === undefined ? {} : rewriteRequest(rewrite, request);
      if (rewritten === undefined) {
        const why = 'the transforms of the rule make no request of it';
        return answerItself(exchange.response, { status: 500, why });
      }
      return forwarder.forward({ ...exchange, rewritten }, action);
    }
    case 'redirect': {
      const location = formatLocation(action.redirect, request);
      const { statusCode: status } = action.redirect;
      return answerItself(exchange.response, { status, headers: { location } });
    }
    case 'fixed-response': {
      const { statusCode: status, contentType = 'text/plain', body = '' } = action.response;
      const headers = { 'content-type': contentType };
      return answerItself(exchange.response, { status, headers, body });
    }
  }
}
