# Installation and the exported package; see below.
