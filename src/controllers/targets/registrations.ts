import type { Target } from '../../aws/elbv2/traffic.ts';
import { nameTarget, type TargetMap } from './desired-targets.ts';

/**
 * The targets that AWS has registered in one group, as far as this process knows. A call whose answer is lost may
 * have been carried out: its targets are possible ones, and registered only where AWS has answered so.
 */
export class Registrations {
  readonly #registered = new Map<string, Target>();
  /** The registered ones are among them. */
  readonly #possible = new Map<string, Target>();

  get size(): number {
    return this.#registered.size;
  }

  has(name: string): boolean {
    return this.#registered.has(name);
  }

  /** AWS has just shown all of them. Returns how many differ from what AWS had answered before. */
  replace(targets: readonly Target[]): number {
    const shown = new Map(targets.map((target) => [nameTarget(target), target]));
    const lost = [...this.#registered.keys()].filter((name) => !shown.has(name));
    const foreign = [...shown.keys()].filter((name) => !this.#possible.has(name));
    this.clear();
    for (const [name, target] of shown) this.#add(name, target);
    return lost.length + foreign.length;
  }

  clear(): void {
    this.#registered.clear();
    this.#possible.clear();
  }

  beginRegistering(targets: readonly Target[]): void {
    for (const target of targets) this.#possible.set(nameTarget(target), target);
  }

  recordRegistered(targets: readonly Target[]): void {
    for (const target of targets) this.#add(nameTarget(target), target);
  }

  beginDeregistering(targets: readonly Target[]): void {
    for (const target of targets) this.#registered.delete(nameTarget(target));
  }

  /** Also for those of which AWS has answered that they cannot be targets. */
  recordDeregistered(targets: readonly Target[]): void {
    for (const target of targets) {
      this.#registered.delete(nameTarget(target));
      this.#possible.delete(nameTarget(target));
    }
  }

  listMissing(desired: TargetMap): readonly Target[] {
    return listWithout(desired, this.#registered);
  }

  listSurplus(desired: TargetMap): readonly Target[] {
    return listWithout(this.#possible, desired);
  }

  #add(name: string, target: Target): void {
    this.#registered.set(name, target);
    this.#possible.set(name, target);
  }
}

function listWithout(targets: TargetMap, others: TargetMap): readonly Target[] {
  return [...targets].filter(([name]) => !others.has(name)).map(([, target]) => target);
}
