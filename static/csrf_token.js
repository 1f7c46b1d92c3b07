// The token that Django asks of every change, as it is now: signing in renews it, in another tab too, and the one that the
// page was given is refused from then on.
export function csrfToken() {
  const kept = [...document.cookie.matchAll(/(?:^|; )csrftoken=([^;]+)/g)].at(-1); // as Django reads several
  return kept ? decodeURIComponent(kept[1]) : (document.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "");
}
