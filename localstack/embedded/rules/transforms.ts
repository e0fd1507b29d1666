import { validationError } from '../http/aws-fault.ts';
import { type Input, requiredText, structuresOf } from '../input-fields.ts';
import { checkedEnum, checkLength, structureOf } from '../traffic/checked-input.ts';
import { compileRegex, highestGroup } from './regex.ts';
import type { Transform } from './rule.ts';

const MAX_LENGTH = 1024;

/**
 * `Transforms` of a rule: at most one of each type. The words of the refusals are unverified.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_RuleTransform.html
 */
export function readTransforms(inputs: readonly Input[]): readonly Transform[] {
  const transforms = inputs.map(readTransform);
  const types = new Set(transforms.map(({ Type }) => Type));
  if (types.size === transforms.length) return transforms;
  throw validationError('A rule can have one transform of each type');
}

function readTransform(input: Input): Transform {
  requiredText(input, 'Type');
  const type = checkedEnum(input, 'Type', ['host-header-rewrite', 'url-rewrite']);
  const isHost = type === 'host-header-rewrite';
  const [field, other] = isHost
    ? ['HostHeaderRewriteConfig', 'UrlRewriteConfig']
    : ['UrlRewriteConfig', 'HostHeaderRewriteConfig'];
  const config = structureOf(input, field);
  if (config === undefined || input[other] !== undefined) {
    throw validationError(`A transform of type '${type}' must have ${field} only`);
  }
  const rewrites = structuresOf(config, 'Rewrites') ?? [];
  if (rewrites.length !== 1) throw validationError('A transform must have exactly one rewrite');
  return { Type: type ?? '', [field]: { Rewrites: rewrites.map(readRewrite) } };
}

function readRewrite(rewrite: Input): object {
  const Regex = requiredText(rewrite, 'Regex');
  const Replace = requiredText(rewrite, 'Replace');
  checkLength('regex', Regex, MAX_LENGTH);
  checkLength('replace', Replace, MAX_LENGTH);
  const groups = compileRegex(Regex)?.groupCount();
  if (groups === undefined) {
    throw validationError(`The regular expression '${Regex}' is not valid`);
  }
  if (highestGroup(Replace) > groups) {
    throw validationError(
      `The replacement '${Replace}' names a group that '${Regex}' does not have`,
    );
  }
  return { Regex, Replace };
}
