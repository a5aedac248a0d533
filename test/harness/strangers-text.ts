/** Finds strangers' text in an answer, and whether the answer marks it. */

/** JSON pointers of every text, name or value, that contains `mark`. */
export function pointersOf(value: unknown, mark: string, pointer = ''): string[] {
  if (typeof value === 'string') return value.includes(mark) ? [pointer] : [];
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, child]) => {
    const here = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    return [...(name.includes(mark) ? [here] : []), ...pointersOf(child, mark, here)];
  });
}

/** `*` stands for every entry; a pointer to an object covers its contents. */
export function covers(pattern: string, pointer: string): boolean {
  const steps = pointer.split('/');
  return pattern.split('/').every((step, index) => step === '*' || step === steps[index]);
}
