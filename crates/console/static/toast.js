// The notice that says briefly what was done.

import { html } from "./elements.js";
import { useEffect, useState } from "./hooks.js";

/** @type {(toast: {text: string, problem?: any, key: number}) => void} */
let show = () => {};

/**
 * Says shortly what was done.
 * @type {(text: string | undefined, problem?: any) => void}
 */
export const say = (text, problem) => (text || problem) && show({ text: text || "", problem, key: Date.now() });

export function Toast() {
  const [toast, set] = useState(null);
  show = set;
  useEffect(() => {
    if (!toast || toast.problem) return undefined;
    const timer = setTimeout(() => set(null), 5000);
    return () => clearTimeout(timer);
  }, [toast]);
  return html`<div class="toast-place" aria-live="polite">
    ${
      toast &&
      html`<div class=${toast.problem ? "toast bad" : "toast"}>
        <div dir="auto">
          ${toast.text}
          ${
            toast.problem &&
            html`<div>
              ${toast.problem.message}
              ${
                toast.problem.requestId &&
                html`<div class="small">Request <code>${toast.problem.requestId}</code></div>`
              }
            </div>`
          }
        </div>
        <button type="button" class="link" aria-label="Dismiss" onClick=${() => set(null)}>✕</button>
      </div>`
    }
  </div>`;
}

/** Does something, and says how that went. */
export async function attempt(done, work) {
  try {
    const answer = await work();
    say(done);
    return answer;
  } catch (problem) {
    say("That did not work.", problem);
    return undefined;
  }
}
