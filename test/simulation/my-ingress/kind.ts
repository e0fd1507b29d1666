import { servedDefinition } from '../served-definition.ts';

export const MY_INGRESSES = servedDefinition('myingresses.demo.rtfm.co.ua');
