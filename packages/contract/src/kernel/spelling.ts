/** `updateMe`, `owner_wallet` → `update-me`, `owner-wallet`: how the command line spells names. */
export function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll('_', '-');
}
