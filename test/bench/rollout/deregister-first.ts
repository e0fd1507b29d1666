import { plantMutation } from '../../simulation/plant.ts';

/**
 * Preloaded by an operator that is to lose requests: it deregisters a pod that terminates although no other
 * one is Ready, as controllers do that deregister first and register then.
 */
plantMutation({
  file: 'controllers/targets/desired-targets.ts',
  find: 'const serving = ready.size > 0 ? ready : collectTargets(slices, ({ slice }) => slice.leaving);',
  replace: 'const serving = ready;',
});
