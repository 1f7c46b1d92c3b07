// Every request that htmx makes carries the token that Django asks of forms, as it is now. The one that a form holds may be
// older: who signs in again in another tab gets a new one, and Django would look at that of the form first.
import { csrfToken } from "./csrf_token.js";

document.addEventListener("htmx:configRequest", ({ detail }) => {
  delete detail.parameters.csrfmiddlewaretoken;
  detail.headers["X-CSRFToken"] = csrfToken();
});
