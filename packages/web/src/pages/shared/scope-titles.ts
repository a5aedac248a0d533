import { type Scope, scopes } from '@market/contract';

export function titlesOf(names: readonly Scope[]): string {
  return names.map((name) => scopes[name].title).join(', ');
}
