/** The switch between light and dark theme. The choice is a cookie, so that the server renders the page in it. */
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react';
import type { Theme } from '../site.ts';

const YEAR_SECONDS = 365 * 24 * 3600;

interface ThemeChoice {
  readonly theme: Theme | undefined;
  toggle(): void;
}

const ThemeContext = createContext<ThemeChoice>({ theme: undefined, toggle: () => undefined });

export function useTheme(): ThemeChoice {
  return useContext(ThemeContext);
}

export function ThemeProvider({ first, children }: { readonly first: Theme | undefined; readonly children: ReactNode }) {
  const [theme, setTheme] = useState(first);
  const toggle = useCallback(() => {
    const { dataset } = document.documentElement;
    const shown = dataset['theme'] ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
    const next: Theme = shown === 'dark' ? 'light' : 'dark';
    dataset['theme'] = next;
    // biome-ignore lint/suspicious/noDocumentCookie: the cookie store API is not in every browser yet
    document.cookie = `theme=${next}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax`;
    setTheme(next);
  }, []);
  return <ThemeContext value={{ theme, toggle }}>{children}</ThemeContext>;
}
