/** Joins the class names that apply. */
export function classNames(...names: readonly (string | false | undefined)[]): string | undefined {
  const joined = names.filter((name) => name !== false && name !== undefined && name !== '').join(' ');
  return joined === '' ? undefined : joined;
}
