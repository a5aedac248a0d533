/**
 * Durations of requests as a Prometheus histogram. Every request updates it, and prom-client would compose and hash the labels each time,
 * which costs more than the rest of a cached answer. Here they are composed once.
 */
export interface RequestTimes {
  observe(route: string, method: string, status: number, milliseconds: number): void;
  /** In Prometheus format. */
  text(): string;
}

interface Series {
  readonly labels: string;
  /** Requests up to each bound and above the previous one; the last element counts those above all bounds. */
  readonly counts: number[];
  sumSeconds: number;
}

export function createRequestTimes(name: string, help: string, boundsSeconds: readonly number[]): RequestTimes {
  const boundsMs = boundsSeconds.map((seconds) => seconds * 1000);
  const byRoute = new Map<string, Map<string, Map<number, Series>>>();

  function seriesOf(route: string, method: string, status: number): Series {
    const byMethod = getOrAdd(byRoute, route, () => new Map<string, Map<number, Series>>());
    const byStatus = getOrAdd(byMethod, method, () => new Map<number, Series>());
    return getOrAdd(byStatus, status, () => ({
      labels: `route="${escapeLabel(route)}",method="${escapeLabel(method)}",status="${status}"`,
      counts: Array<number>(boundsMs.length + 1).fill(0),
      sumSeconds: 0,
    }));
  }

  return {
    observe(route, method, status, milliseconds) {
      const series = byRoute.get(route)?.get(method)?.get(status) ?? seriesOf(route, method, status);
      let bucket = 0;
      while (bucket < boundsMs.length && milliseconds > (boundsMs[bucket] as number)) bucket++;
      series.counts[bucket] = (series.counts[bucket] as number) + 1;
      series.sumSeconds += milliseconds / 1000;
    },

    text() {
      const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`];
      for (const byMethod of byRoute.values())
        for (const byStatus of byMethod.values())
          for (const { labels, counts, sumSeconds } of byStatus.values()) {
            let total = 0;
            for (const [bucket, count] of counts.entries()) {
              total += count;
              lines.push(`${name}_bucket{le="${boundsSeconds[bucket] ?? '+Inf'}",${labels}} ${total}`);
            }
            lines.push(`${name}_sum{${labels}} ${sumSeconds}`, `${name}_count{${labels}} ${total}`);
          }
      return `${lines.join('\n')}\n`;
    },
  };
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}

function escapeLabel(text: string): string {
  return text.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');
}
