import type { ServedKind } from '../api-model/stored-object.ts';
import { definedKind } from '../served-definition.ts';

export const MY_INGRESSES: ServedKind = definedKind('MyIngress');
