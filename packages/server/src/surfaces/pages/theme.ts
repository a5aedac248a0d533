import type { Theme } from '@market/web';

/** The theme by the cookie `theme`; undefined follows the system. */
export function readTheme(value: string | undefined): Theme | undefined {
  return value === 'light' || value === 'dark' ? value : undefined;
}
