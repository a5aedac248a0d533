import { QueryClientProvider } from '@tanstack/react-query';
import { MarketContext } from './data/answers.ts';
import { FactsContext } from './data/site-facts.ts';
import { CurrentPage } from './router/current-page.tsx';
import type { PageVisit, Surroundings } from './router/page-visit.ts';
import { Router } from './router/router.tsx';
import { Shell } from './shell/shell.tsx';
import { ThemeProvider } from './shell/theme.tsx';
import type { Theme } from './site.ts';
import { AnnouncerProvider } from './ui/feedback/announcer.tsx';
import { ToastProvider } from './ui/feedback/toast.tsx';
import { type MarketTime, MarketTimeContext } from './ui/words/visitor.ts';

export interface AppProps {
  readonly first: PageVisit;
  readonly surroundings: Surroundings;
  readonly theme: Theme | undefined;
  readonly marketTime: MarketTime;
}

export function App({ first, surroundings, theme, marketTime }: AppProps) {
  return (
    <FactsContext value={surroundings.facts}>
      <MarketContext value={surroundings.market}>
        <QueryClientProvider client={surroundings.queries}>
          <MarketTimeContext value={marketTime}>
            <ThemeProvider first={theme}>
              <AnnouncerProvider>
                <ToastProvider>
                  <Router first={first}>
                    <Shell>
                      <CurrentPage />
                    </Shell>
                  </Router>
                </ToastProvider>
              </AnnouncerProvider>
            </ThemeProvider>
          </MarketTimeContext>
        </QueryClientProvider>
      </MarketContext>
    </FactsContext>
  );
}
